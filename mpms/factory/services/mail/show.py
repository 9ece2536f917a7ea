"""The message that brought an order, as plain text. Nothing in it is ever rendered.

A stored message is as strange as one that has just come, so it is read in the sandbox.
"""

from __future__ import annotations

from dataclasses import dataclass

from mpms.domain.errors import NotFound
from mpms.factory.domain.order_mail.showing import MailFile
from mpms.factory.ports.mail.mailbox import ReadText
from mpms.factory.ports.orders.views import MailRow
from mpms.factory.ports.store import UnitOfWork

LATEST_MAILS = 2000


@dataclass(frozen=True)
class MailShown:
    """A message in words; ``text`` is None if it cannot be read safely."""

    row: MailRow
    subject: str
    sender: str
    date: str
    text: str | None
    from_html: bool
    cut: bool
    files: tuple[MailFile, ...]


def show_mail(uow: UnitOfWork, read_text: ReadText, number: str) -> MailShown:
    """The message of an order in words. OrderUnknown, NotFound."""
    row, raw = _mail(uow, number)
    if raw is None:
        return MailShown(row, "", row.sender or "", "", None, False, False, ())
    found = read_text(raw)
    return MailShown(
        row=row,
        subject=found.subject,
        sender=found.sender,
        date=found.date,
        text=found.text,
        from_html=found.from_html,
        cut=found.cut,
        files=found.files,
    )


def raw_mail(uow: UnitOfWork, number: str) -> bytes:
    """The very bytes that came. OrderUnknown, NotFound."""
    _, raw = _mail(uow, number)
    if raw is None:
        raise NotFound(f"The message of order {number} was too large to be kept.")
    return raw


def follow_mail(uow: UnitOfWork, sender: str, message_id: str) -> MailRow | None:
    """What became of a message that was sent a moment ago; None: nothing yet."""
    with uow() as tx:
        return tx.order_views.mail_by_message(sender, message_id, latest=LATEST_MAILS)


def _mail(uow: UnitOfWork, number: str) -> tuple[MailRow, bytes | None]:
    with uow() as tx:
        tx.orders.get(number)
        row = tx.order_views.mail(number)
        if row is None:
            raise NotFound(f"Order {number} did not come by mail.")
        return row, tx.mails.raw(row.id)
