"""Say how often a task may still be tried: 0 stops it, more lets it go on."""

from __future__ import annotations

from mpms.domain.external_tasks import ExternalTask
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.external_tasks.fail import CODE
from mpms.services.external_tasks.hold import get_task
from mpms.services.jobs.run import give_up

STOPPED = "It has no retries left; somebody has set them to 0."


def set_retries(
    uow: UnitOfWork, task_id: str, retries: int, *, by: str, go_on: bool = True
) -> None:
    """``go_on`` False: what has an incident goes on when that is resolved.

    ExternalTaskUnknown, InstanceBusy.
    """
    with uow() as tx:
        tx.instances.lock(get_task(tx, task_id).job.instance_id)
        task = get_task(tx, task_id)  # as it is now that nobody else changes it
        if retries > 0 and task.given_up and go_on:
            _go_on(tx, task, by=by)
        elif retries == 0 and not task.given_up:
            give_up(tx, task.job, CODE, STOPPED)
        tx.external_tasks.set_retries(task.job.id, retries)
        tx.wake()


def _go_on(tx: Transaction, task: ExternalTask, *, by: str) -> None:
    task_id = task.job.task_id
    tx.incidents.resolve(by=by, task_id=task_id)
    tx.jobs.reset(task_id)
    tx.events.append(
        "retry",
        actor=by,
        instance_id=task.job.instance_id,
        element=task.job.element,
        task_id=task_id,
        data={"message": task.error or ""},
    )
