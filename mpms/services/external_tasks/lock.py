"""Lock one task, keep it locked, give it back."""

from __future__ import annotations

from mpms.domain.external_tasks import NotYourLock, foreign, is_foreign
from mpms.ports.store import UnitOfWork
from mpms.services.external_tasks.hold import get_task, holder_of, words_for


def lock_task(uow: UnitOfWork, task_id: str, worker: str, *, lease_s: float) -> None:
    """ExternalTaskUnknown, NotYourLock."""
    with uow() as tx:
        task = get_task(tx, task_id)
        if not tx.external_tasks.lease(
            task.job.id, worker=foreign(worker), lease_s=lease_s
        ):
            raise NotYourLock(words_for(get_task(tx, task_id), worker))


def extend_lock(
    uow: UnitOfWork, task_id: str, worker: str | None, *, lease_s: float
) -> None:
    """ExternalTaskUnknown, NotYourLock, also when the lock has run out."""
    with uow() as tx:
        task = get_task(tx, task_id)
        holder = holder_of(task, worker)
        if holder is not None and tx.external_tasks.extend(
            task.job.id, worker=holder, lease_s=lease_s
        ):
            return
        task = get_task(tx, task_id)
        if holder_of(task, worker) is not None:
            raise NotYourLock(
                f"The lock of the external task {task_id} has run out, or the task is"
                " being settled; fetch it again."
            )
        raise NotYourLock(words_for(task, worker))


def unlock_task(uow: UnitOfWork, task_id: str) -> None:
    """Let others have it. What a worker of ours runs stays his.

    ExternalTaskUnknown, NotYourLock.
    """
    with uow() as tx:
        task = get_task(tx, task_id)
        if task.leased_by is None:
            return
        if not is_foreign(task.leased_by):
            raise NotYourLock(
                f"The external task {task_id} is run by a worker of MPMS itself,"
                f" '{task.leased_by}'."
            )
        tx.external_tasks.release(task.job.id, worker=task.leased_by)
        tx.wake()
