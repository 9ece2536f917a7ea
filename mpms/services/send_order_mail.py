"""Hand an order to our own mail server, as its sender would: it comes back as mail."""

from __future__ import annotations

from collections.abc import Callable

from mpms.domain.errors import MpmsError
from mpms.ports.mail import PostmanUnavailable
from mpms.ports.store import UnitOfWork
from mpms.services.compose_order_mail import OutgoingMail

HandOver = Callable[[bytes], None]


class MailNotSet(MpmsError):
    """The plant has no mail server, so nothing can be sent."""


class MailNotTaken(MpmsError):
    """The mail server did not take the message. Nothing was ordered."""


def send_order_mail(
    uow: UnitOfWork, hand_over: HandOver | None, mail: OutgoingMail, *, by: str
) -> None:
    """MailNotSet, MailNotTaken."""
    if hand_over is None:
        raise MailNotSet
    try:
        hand_over(mail.raw)
    except (PostmanUnavailable, MpmsError, OSError) as failure:
        raise MailNotTaken from failure
    with uow() as tx:
        told = {"sender": mail.sender, "message_id": mail.message_id}
        tx.events.append("order mail sent", actor=by, data=told)
