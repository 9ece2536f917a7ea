"""End an instance now, with everything it waits for; its order ends with it."""

from __future__ import annotations

from mpms.domain.errors import TaskGone
from mpms.domain.orders import OrderStatus
from mpms.domain.steps import Cancel
from mpms.ports.store import UnitOfWork
from mpms.services.advance_instance import Advance
from mpms.services.apply_repair import required


def cancel_instance(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    *,
    by: str,
    reason: str,
    completed_manually: bool = False,
) -> None:
    """Cancel it; its order becomes cancelled, or completed by hand if a person says so.

    InstanceUnknown, ReasonMissing, TaskGone, InstanceBusy.
    """
    with uow() as tx:
        instance = tx.instances.lock(instance_id)
        why = required(reason)
        if instance.status.ended:
            raise TaskGone("The process has ended already.")
        tx.events.append(
            "cancel", actor=by, instance_id=instance_id, data={"reason": why}
        )
        order = tx.orders.of_instance(instance_id) if completed_manually else None
        if order is not None and not order.status.ended:
            by_hand = OrderStatus.COMPLETED_MANUALLY
            old = tx.orders.set_status(order.number, by_hand)
            tx.events.append(
                "order status",
                actor=by,
                instance_id=instance_id,
                data={"order": order.number, "old": str(old), "new": str(by_hand)},
            )
        advance(tx, instance, Cancel(why), actor=by)
