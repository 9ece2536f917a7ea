"""Hand an order to our own mail server, as its sender would: it comes back as mail."""

from __future__ import annotations

from collections.abc import Callable

from mpms.domain.errors import MpmsError, ServerRefuses
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.orders.compose_mail import OutgoingMail
from mpms.ports.outgoing_mail import MailServerAway

HandOver = Callable[[bytes], None]


class MailNotSet(MpmsError):
    """The plant has no mail server, so nothing can be sent."""


class MailNotTaken(ServerRefuses):
    """The mail server did not take the message. Nothing was ordered."""


def send_order_mail(
    uow: UnitOfWork, hand_over: HandOver | None, mail: OutgoingMail, *, by: str
) -> None:
    """MailNotSet, MailNotTaken."""
    if hand_over is None:
        raise MailNotSet
    try:
        hand_over(mail.raw)
    except (MailServerAway, MpmsError, OSError) as failure:
        raise MailNotTaken from failure
    with uow() as tx:
        told = {"sender": mail.sender, "message_id": mail.message_id}
        tx.events.append("order mail sent", actor=by, data=told)
