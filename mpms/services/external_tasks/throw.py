"""A worker throws a BPMN error: the model catches it, or an operator must look."""

from __future__ import annotations

from mpms.domain.external_tasks import Thrown
from mpms.domain.instances.steps import Fail
from mpms.services.external_tasks.hold import hold_task
from mpms.services.jobs.run import RunJobs, give_up


def throw_error(
    jobs: RunJobs, task_id: str, worker: str | None, thrown: Thrown, *, by: str
) -> None:
    """What is suspended hears of it when it goes on.

    ExternalTaskUnknown, NotYourLock, InstanceBusy, VariableTooLarge.
    """
    message = thrown.message or thrown.code
    with jobs.uow() as tx:
        job = hold_task(tx, task_id, worker).job
        jobs.counts.run[job.topic] += 1
        instance = tx.instances.lock(job.instance_id)
        if instance.suspended is not None:
            tx.jobs.wait_for_report(job.id)
            told = {
                "code": thrown.code,
                "message": message,
                "variables": thrown.variables,
                "incident": "job",
            }
            tx.deliveries.add(instance.id, "fail", task_id=job.task_id, data=told)
            return
        command = Fail(job.task_id, thrown.code, message, thrown.variables)
        if not jobs.advance(tx, instance, command, actor=by).caught:
            give_up(tx, job, thrown.code, message)
            tx.external_tasks.set_retries(job.id, 0)
            tx.wake()
