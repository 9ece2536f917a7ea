"""A supervisor releases or refuses an order that waits."""

from __future__ import annotations

from uuid import uuid4

from mpms.domain.errors import MpmsError
from mpms.domain.orders import OrderStatus
from mpms.ports.mail import Reply
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.record_mail import ORDER_READY


class OrderNotWaiting(MpmsError):
    """The order does not wait for a release."""


class ReasonMissing(MpmsError):
    """Say why the order is refused: its sender is told."""


def release_order(uow: UnitOfWork, number: str, *, by: str) -> None:
    """Let an order be made. OrderUnknown, OrderNotWaiting."""
    with uow() as tx:
        _decide(tx, number, OrderStatus.NEW, by, None)
        tx.deliveries.throw(ORDER_READY)
        tx.wake()


def refuse_order(uow: UnitOfWork, number: str, *, by: str, reason: str) -> None:
    """Cancel an order before it is made and tell its sender why.

    OrderUnknown, OrderNotWaiting, ReasonMissing.
    """
    if not reason.strip():
        raise ReasonMissing
    with uow() as tx:
        _decide(tx, number, OrderStatus.CANCELLED, by, reason)
        mail = tx.mails.of_order(number)
        if mail is not None:
            mail_id, sender, message_id = mail
            tx.outbox.write(
                mail_id,
                Reply(
                    f"refusal-{mail_id}-{uuid4().hex[:16]}",
                    sender,
                    f"Order {number} was refused",
                    f"Your order {number} will not be made.\n\nReason: {reason}\n",
                    message_id,
                ),
            )
        tx.wake()


def _decide(
    tx: Transaction, number: str, status: OrderStatus, by: str, reason: str | None
) -> None:
    """Of two who decide at the same moment, the second finds the order decided."""
    old = tx.orders.set_status(number, status)
    if old is not OrderStatus.WAITING:
        raise OrderNotWaiting(f"Order {number} does not wait: it is {old}.")
    tx.events.append(
        "order status",
        actor=by,
        data={"order": number, "old": str(old), "new": str(status), "reason": reason},
    )
