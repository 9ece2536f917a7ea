"""A worker could not do a task: again later, or an incident when it says so.

How often is the worker's own affair: it is told how many retries it has asked for and
says how many are left. The model's own delays are for our handlers.
"""

from __future__ import annotations

from mpms.domain.external_tasks import Failure
from mpms.services.external_tasks.hold import hold_task
from mpms.services.run_jobs import RunJobs, give_up

CODE = "failed"
UNTOLD = "The worker gave no message."


def fail_task(
    jobs: RunJobs, task_id: str, worker: str, failure: Failure, *, by: str
) -> None:
    """ExternalTaskUnknown, NotYourLock, InstanceBusy."""
    message = failure.message or UNTOLD
    with jobs.uow() as tx:
        job = hold_task(tx, task_id, worker).job
        jobs.counts.failed[job.topic] += 1
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
