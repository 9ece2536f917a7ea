"""A worker has done a task: its results go to the process."""

from __future__ import annotations

from typing import Any

from mpms.domain.jobs import Done
from mpms.services.external_tasks.hold import hold_with_instance
from mpms.services.jobs.run import RunJobs


def complete_task(
    jobs: RunJobs,
    task_id: str,
    worker: str | None,
    *,
    variables: dict[str, Any],
    local: dict[str, Any],
    by: str,
) -> None:
    """What is suspended hears of it when it goes on.

    ExternalTaskUnknown, NotYourLock, InstanceBusy, VariableTooLarge.
    """
    with jobs.uow() as tx:
        task, instance = hold_with_instance(tx, task_id, worker)
        jobs.settle(tx, task.job, Done(variables, local), actor=by, known=instance)
