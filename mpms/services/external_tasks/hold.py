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
)
from mpms.ports.store import Transaction


def get_task(tx: Transaction, task_id: str) -> ExternalTask:
    """ExternalTaskUnknown."""
    found = tx.external_tasks.get(task_id)
    if found is None:
        raise ExternalTaskUnknown(
            f"There is no external task {task_id}; it may be done or cancelled."
        )
    return found


def hold_task(tx: Transaction, task_id: str, worker: str) -> ExternalTask:
    """The task with its instance and its row locked, in that order.

    ExternalTaskUnknown, NotYourLock, InstanceBusy.
    """
    task = get_task(tx, task_id)
    if task.leased_by != foreign(worker):
        raise NotYourLock(words_for(task, worker))
    if not tx.jobs.hold(task.job.id, foreign(worker)):
        # Somebody was faster; only now it is certain who.
        raise NotYourLock(words_for(get_task(tx, task_id), worker))
    return task


def words_for(task: ExternalTask, worker: str) -> str:
    if task.given_up:
        state = "it has no retries left"
    elif task.worker is None:
        state = "nobody has locked it"
    else:
        state = f"the last to lock it was '{task.worker}'"
    return f"The external task {task.job.task_id} is not worker '{worker}''s: {state}."
