"""The message that brought an order, as plain text. Nothing in it is ever rendered."""

from __future__ import annotations

from dataclasses import dataclass

from mpms.domain.errors import NotFound
from mpms.domain.order_mail.headers import Headers, split_headers
from mpms.domain.order_mail.html_tables import read_html
from mpms.domain.order_mail.message import Part, leaf_parts
from mpms.domain.order_mail.outcome import Refused
from mpms.ports.order_views import MailRow
from mpms.ports.store import UnitOfWork

LONGEST_SHOWN = 50_000
LATEST_MAILS = 2000


@dataclass(frozen=True)
class MailFile:
    """A file in a message: its name and type as the sender wrote them."""

    name: str
    media_type: str


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


def show_mail(uow: UnitOfWork, number: str) -> MailShown:
    """The message of an order in words. OrderUnknown, NotFound."""
    row, raw = _mail(uow, number)
    if raw is None:
        return MailShown(row, "", row.sender or "", "", None, False, False, ())
    headers, body_at = split_headers(raw)
    text: str | None = None
    from_html = False
    files: tuple[MailFile, ...] = ()
    try:
        parts = leaf_parts(headers, raw, body_at)
        text, from_html = _text(parts)
        files = tuple(
            MailFile(part.filename or "?", part.content.main)
            for part in parts
            if part.filename or part.disposition == "attachment"
        )
    except (Refused, RecursionError):
        pass
    return MailShown(
        row=row,
        subject=_field(headers, "subject"),
        sender=_field(headers, "from"),
        date=_field(headers, "date"),
        text=None if text is None else text[:LONGEST_SHOWN],
        from_html=from_html,
        cut=text is not None and len(text) > LONGEST_SHOWN,
        files=files,
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


def _field(headers: Headers, name: str) -> str:
    try:
        return (headers.texts(name) or [""])[0][:1000]
    except Refused:
        return ""


def _text(parts: list[Part]) -> tuple[str, bool]:
    plain = [part.text() for part in parts if part.is_body("text/plain")]
    if any(text.strip() for text in plain):
        return "\n".join(plain).strip("\n"), False
    lines: list[str] = []
    for part in parts:
        if part.is_body("text/html"):
            items = read_html(part.text(), lambda table: False)
            lines += [item for item in items if isinstance(item, str)]
    return "\n".join(lines).strip("\n"), bool(lines)
