"""End an instance now, with everything it waits for."""

from __future__ import annotations

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import Cancel
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import required


def cancel_instance(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    *,
    by: str,
    reason: str,
    completed_manually: bool = False,
) -> None:
    """Cancel it; what it stands for was completed by hand if a person says so.

    InstanceUnknown, ReasonMissing, TaskGone, InstanceBusy.
    """
    with uow() as tx:
        instance = tx.instances.lock(instance_id)
        why = required(reason)
        if instance.status.ended:
            raise TaskGone("The process has already ended.")
        tx.events.append(
            "cancel", actor=by, instance_id=instance_id, data={"reason": why}
        )
        if completed_manually:
            advance.hooks.completed_manually(tx, instance, by=by)
        advance(tx, instance, Cancel(why), actor=by)
