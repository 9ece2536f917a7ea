"""Run handlers: inside ones in the step's transaction, outside ones under a lease.

A failed job is tried again after its delays, then offered to the model as an error
(the exception's class is the code), and if the model does not catch it an incident
is opened; other branches of the process go on meanwhile. A ``BusinessError`` is
meant for the model and is offered at once.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from mpms.domain.errors import BusinessError, DatabaseAway, InstanceBusy, TaskGone
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import Complete, Fail, Step
from mpms.domain.jobs import Answer, Deferred, Done, Job, NotYet
from mpms.domain.trace import tracing
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.jobs.count import JobCounts
from mpms.services.jobs.handlers import Handlers

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunJobs:
    """Claims, runs and settles jobs."""

    uow: UnitOfWork
    advance: Advance
    handlers: Handlers
    counts: JobCounts = field(default_factory=JobCounts)

    def run_inside(self) -> bool:
        """Run one job whose effects are rows, together with its step."""
        job: Job | None = None
        try:
            with self.uow() as tx:
                job = tx.jobs.claim_inside(self.handlers.inside)
                if job is None:
                    return False
                answer = self.handlers.inside[job.topic](tx, job)
                self.settle(tx, job, answer, actor=job.topic)
        except DatabaseAway:
            raise
        except Exception as failure:
            if job is None:
                raise
            self.fail(job, failure, worker=None)
        return True

    def finish_outside(self, job: Job, answer: Answer, worker: str) -> bool:
        """Settle an outside job; False if its lease went to somebody else."""
        with self.uow() as tx:
            free = tx.jobs.hold_free([job.id], worker)
            if not free and not tx.jobs.hold(job.id, worker):
                return False
            known = free[0][1] if free else None
            self.settle(tx, job, answer, actor=job.topic, known=known)
            return True

    def settle(
        self,
        tx: Transaction,
        job: Job,
        answer: Answer,
        *,
        actor: str,
        known: Instance | None = None,
    ) -> Step | None:
        """Write what an answer means; the step that it led to.

        ``known``: the instance, where it is locked and read already.
        """
        if not isinstance(answer, NotYet):
            self.counts.run[job.topic] += 1
        match answer:
            case Done(variables, local):
                instance = known or tx.instances.lock(job.instance_id)
                self.advance.hooks.worked(tx, job, variables | local)
                if instance.suspended is not None:
                    # The work is done all the same; the process hears of it later.
                    tx.jobs.wait_for_report(job.id)
                    tx.deliveries.add(
                        job.instance_id,
                        "complete",
                        task_id=job.task_id,
                        data={"variables": variables, "local": local},
                    )
                    return None
                command = Complete(job.task_id, variables, local)
                return self.advance(tx, instance, command, actor=actor)
            case Deferred():
                tx.jobs.wait_for_report(job.id)
                tx.wake()
            case NotYet(again_in_s, why):
                tx.jobs.postpone(job.id, delay_s=again_in_s, error=why, failed=False)
        return None

    def fail(self, job: Job, failure: Exception, *, worker: str | None) -> None:
        """Retry later, else offer the error to the model, else open an incident."""
        self.counts.failed[job.topic] += 1
        code = failure.code if isinstance(failure, BusinessError) else None
        if code is None:
            with tracing(instance=job.instance_id, order=job.business_key):
                log.warning(
                    "job %s (%s) failed", job.topic, job.task_id, exc_info=failure
                )
        message = str(failure) or type(failure).__name__
        with self.uow() as tx:
            try:
                instance = tx.instances.lock(job.instance_id, wait_s=30.0)
            except InstanceBusy:
                return  # it stays in the queue and is claimed again
            if not tx.jobs.hold(job.id, worker):
                return
            delays = self.handlers.delays_of(job)
            if code is None and job.attempts < len(delays):
                delay_s = delays[job.attempts]
                tx.jobs.postpone(job.id, delay_s=delay_s, error=message, failed=True)
                tx.events.append(
                    "job failed",
                    actor=job.topic,
                    instance_id=job.instance_id,
                    element=job.element,
                    task_id=job.task_id,
                    data={"error": message, "again_in_s": delay_s},
                )
                return
            if instance.suspended is not None:
                # Tried once more when it goes on; the model hears of nothing now.
                tx.jobs.postpone(job.id, delay_s=0.0, error=message, failed=False)
                return
            code = code or type(failure).__name__
            command = Fail(job.task_id, code, message)
            try:
                step = self.advance(tx, instance, command, actor=job.topic)
            except TaskGone:
                return
            if not step.caught:
                give_up(tx, job, code, message)


def give_up(tx: Transaction, job: Job, code: str, message: str) -> None:
    """No more attempts: an operator must look."""
    tx.jobs.give_up(job.id, message)
    tx.incidents.open(
        "job",
        f"{job.topic}: {code}: {message}" if code not in message else message,
        instance_id=job.instance_id,
        task_id=job.task_id,
        element=job.element,
    )
    tx.events.append(
        "incident",
        actor=job.topic,
        instance_id=job.instance_id,
        element=job.element,
        task_id=job.task_id,
        data={"code": code, "message": message},
    )
