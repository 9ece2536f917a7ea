"""Let an instance stand still, and go on again.

While it stands still nothing is lost: jobs and timers wait, what others send it waits,
and an answer that comes is refused with the reason.
"""

from __future__ import annotations

from mpms.domain.errors import AlreadySuspended, NotSuspended, TaskGone
from mpms.ports.store import UnitOfWork
from mpms.services.instances.apply_repair import required, undoing


def suspend_instance(
    uow: UnitOfWork,
    instance_id: str,
    *,
    by: str,
    reason: str,
    undoes: int | None = None,
) -> None:
    """ReasonMissing, InstanceUnknown, TaskGone, AlreadySuspended, InstanceBusy."""
    why = required(reason)
    with uow() as tx:
        instance = tx.instances.lock(instance_id)
        if instance.status.ended:
            raise TaskGone("The process has already ended.")
        if instance.suspended is not None:
            raise AlreadySuspended(f"It is already {instance.suspended}")
        tx.suspensions.suspend(instance_id, by=by, reason=why)
        tx.events.append(
            "suspended",
            actor=by,
            instance_id=instance_id,
            data={"reason": why} | undoing(undoes),
        )
        tx.wake()


def resume_instance(
    uow: UnitOfWork,
    instance_id: str,
    *,
    by: str,
    reason: str = "",
    undoes: int | None = None,
) -> None:
    """Go on; timers that came due meanwhile fire now. NotSuspended, InstanceBusy."""
    with uow() as tx:
        instance = tx.instances.lock(instance_id)
        if not tx.suspensions.resume(instance.id):
            raise NotSuspended
        data = ({"reason": reason.strip()} if reason.strip() else {}) | undoing(undoes)
        tx.events.append("resumed", actor=by, instance_id=instance_id, data=data)
        tx.wake()
