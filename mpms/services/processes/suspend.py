"""Start no instance of a process any more, in whatever version, until it is resumed.

A call of it becomes an incident of the caller, to be retried after the resumption.
"""

from __future__ import annotations

from contextlib import suppress

from mpms.domain.errors import AlreadySuspended, NotSuspended, TaskGone
from mpms.ports.store import UnitOfWork
from mpms.services.instances.apply_repair import required
from mpms.services.instances.suspend import resume_instance, suspend_instance


def suspend_process(
    uow: UnitOfWork, key: str, *, by: str, reason: str, instances: bool = False
) -> int:
    """Suspend a process; with ``instances`` those that run as well, one by one.

    Returns how many instances stand still by this. Asked again it stops those that
    were busy the first time. ReasonMissing, ProcessUnknown, AlreadySuspended,
    InstanceBusy.
    """
    why = required(reason)
    with uow() as tx:
        tx.definitions.latest(key)
        running = tx.suspensions.active(key, suspended=False) if instances else []
        if tx.suspensions.suspend_process(key, by=by, reason=why):
            tx.events.append(
                "process suspended", actor=by, data={"process": key, "reason": why}
            )
        elif not running:
            known = tx.suspensions.processes().get(key)
            raise AlreadySuspended(f"The process {key} is {known} already.")
    stopped = 0
    for instance_id in running:
        with suppress(TaskGone, AlreadySuspended):
            suspend_instance(uow, instance_id, by=by, reason=why)
            stopped += 1
    return stopped


def resume_process(
    uow: UnitOfWork, key: str, *, by: str, reason: str = "", instances: bool = False
) -> int:
    """Start instances again; with ``instances`` let its standing ones go on.

    Returns how many instances go on by this. NotSuspended, InstanceBusy.
    """
    with uow() as tx:
        if not tx.suspensions.resume_process(key):
            raise NotSuspended(f"The process {key} is not suspended.")
        data = {"process": key} | ({"reason": reason.strip()} if reason.strip() else {})
        tx.events.append("process resumed", actor=by, data=data)
        standing = tx.suspensions.active(key, suspended=True) if instances else []
        tx.wake()
    going = 0
    for instance_id in standing:
        with suppress(NotSuspended):
            resume_instance(uow, instance_id, by=by, reason=reason)
            going += 1
    return going
