"""Take hold of a task for the worker that has its last lock.

A lock that ran out still counts while nobody else has taken the task: the work is done,
and doing it again would help nobody.
"""

from __future__ import annotations

from mpms.domain.external_tasks import (
    ExternalTask,
    ExternalTaskUnknown,
    NotYourLock,
    foreign,
    is_foreign,
)
from mpms.domain.instances.instances import Instance
from mpms.ports.store import Transaction


def get_task(tx: Transaction, task_id: str) -> ExternalTask:
    """ExternalTaskUnknown."""
    found = tx.external_tasks.get(task_id)
    if found is None:
        raise ExternalTaskUnknown(
            f"There is no external task {task_id}; it may be done or cancelled."
        )
    return found


def hold_task(tx: Transaction, task_id: str, worker: str | None) -> ExternalTask:
    """The task with its instance and its row locked, in that order.

    ``worker`` None: whoever of others has it; in Camunda 8 nobody says his name.
    ExternalTaskUnknown, NotYourLock, InstanceBusy.
    """
    return hold_with_instance(tx, task_id, worker)[0]


def hold_with_instance(
    tx: Transaction, task_id: str, worker: str | None
) -> tuple[ExternalTask, Instance | None]:
    """The same with the instance, where it could be read on the way."""
    task = get_task(tx, task_id)
    holder = holder_of(task, worker)
    if holder is not None:
        for _, instance in tx.jobs.hold_free([task.job.id], holder):
            return task, instance
        if tx.jobs.hold(task.job.id, holder):
            return task, None
    # Somebody was faster; only now it is certain who.
    raise NotYourLock(words_for(get_task(tx, task_id), worker))


def holder_of(task: ExternalTask, worker: str | None) -> str | None:
    """How the last lock names its worker, if it is this one's."""
    if worker is None:
        return task.leased_by if is_foreign(task.leased_by) else None
    return task.leased_by if task.leased_by == foreign(worker) else None


def words_for(task: ExternalTask, worker: str | None) -> str:
    if task.given_up:
        state = "it has no retries left"
    elif task.worker is None:
        state = "nobody has locked it"
    else:
        state = f"the last to lock it was '{task.worker}'"
    if worker is None:
        job = f"The job '{task.job.topic}' of '{task.job.element}'"
        return f"{job} is not yours to change: {state}."
    return f"The external task {task.job.task_id} is not worker '{worker}''s: {state}."
