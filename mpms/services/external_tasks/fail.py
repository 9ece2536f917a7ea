"""A worker could not do a task: again later, or an incident when it says so.

What it has found out until then it may leave in variables.

How often is the worker's own affair: it is told how many retries it has asked for and
says how many are left. The model's own delays are for our handlers.
"""

from __future__ import annotations

from mpms.domain.external_tasks import Failure
from mpms.domain.instances.steps import SetVariables
from mpms.domain.jobs import Job
from mpms.ports.store import Transaction
from mpms.services.external_tasks.hold import hold_task
from mpms.services.instances.apply_repair import refresh
from mpms.services.jobs.run import RunJobs, give_up

CODE = "failed"
UNTOLD = "The worker gave no message."


def fail_task(
    jobs: RunJobs, task_id: str, worker: str | None, failure: Failure, *, by: str
) -> None:
    """ExternalTaskUnknown, NotYourLock, InstanceBusy, VariableTooLarge."""
    jobs.advance.engine.check_variables(failure.variables | failure.local)
    message = failure.message or UNTOLD
    with jobs.uow() as tx:
        job = hold_task(tx, task_id, worker).job
        jobs.counts.failed[job.topic] += 1
        if not _keep(tx, jobs, job, failure, by=by):
            return  # a condition in the model has heard of them and left the task
        if failure.retries > 0:
            tx.jobs.postpone(
                job.id, delay_s=failure.again_in_s, error=message, failed=True
            )
            tx.events.append(
                "job failed",
                actor=by,
                instance_id=job.instance_id,
                element=job.element,
                task_id=job.task_id,
                data={"error": message, "again_in_s": failure.again_in_s},
            )
        else:
            give_up(tx, job, CODE, message)
        tx.external_tasks.remember(
            job.id, retries=failure.retries, details=failure.details
        )
        tx.wake()


def _keep(
    tx: Transaction, jobs: RunJobs, job: Job, failure: Failure, *, by: str
) -> bool:
    """Set what the worker told; whether the task still waits."""
    for variables, task_id in (
        (failure.variables, None),
        (failure.local, job.task_id),
    ):
        if not variables:
            continue
        instance = tx.instances.lock(job.instance_id)
        command = SetVariables(variables, (), task_id)
        step = jobs.advance(tx, instance, command, actor=by)
        refresh(tx, instance, step)
        if all(wait.task_id != job.task_id for wait in step.waits):
            return False
    return True
