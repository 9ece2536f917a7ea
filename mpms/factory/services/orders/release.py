"""A supervisor releases or refuses an order that waits."""

from __future__ import annotations

from uuid import uuid4

from mpms.domain.errors import Conflict, MpmsError
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.orders.accept import tell_order_ready
from mpms.ports.engine import Engine
from mpms.ports.outgoing_mail import Reply


class OrderNotWaiting(Conflict):
    """The order does not wait for a release."""


class RefusalReasonMissing(MpmsError):
    """Enter a reason for refusing the order; its sender gets it by mail."""


def release_order(uow: UnitOfWork, engine: Engine, number: str, *, by: str) -> None:
    """Let an order be made. OrderUnknown, OrderNotWaiting."""
    with uow() as tx:
        _decide(tx, number, OrderStatus.NEW, by, None)
        tell_order_ready(tx, engine)
        tx.wake()


def refuse_order(uow: UnitOfWork, number: str, *, by: str, reason: str) -> None:
    """Cancel an order before it is made and tell its sender why.

    OrderUnknown, OrderNotWaiting, RefusalReasonMissing.
    """
    if not reason.strip():
        raise RefusalReasonMissing
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
