"""Run many inside jobs in one transaction, since a commit costs more than a step.

Each is of another instance and can be undone alone: one that fails does not take the
others with it. When writing fails in the end, nobody knows whose row it was; then all
of it is undone and each job is done alone. Alone is also done what would have to wait
for a lock: who holds many instances must not wait for what another one holds.

What a step leads to may be done at once: the next inside job of the same instance is
then never written. That is bounded, in steps and in time, so that others have their
turn. What a handler waits for, hands on or fails at is written like any other job.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from mpms.domain.errors import DatabaseAway, InstanceBusy
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import GO_ON_TOPIC, JobWait, Step
from mpms.domain.jobs import Done, Job
from mpms.ports.store import Transaction
from mpms.services.jobs.run import RunJobs

AT_ONCE = 25
IN_A_ROW = 10
LONGEST_S = 0.05
UNWRITTEN = 0


@dataclass
class RunMany:
    """Claims and runs as many as a short while allows.

    Who is claimed and has no turn was locked in vain, for as long as a slow handler
    takes: so after a turn that ended early fewer are claimed.
    """

    jobs: RunJobs
    most: int = AT_ONCE
    in_a_row: int = IN_A_ROW
    longest_s: float = LONGEST_S
    monotonic_s: Callable[[], float] = time.monotonic
    more: bool = False  # may lie there still, after the last turn
    _next: int = AT_ONCE

    def __call__(self) -> int:
        """How many instances were looked at."""
        self.more = False
        inside = self.jobs.handlers.inside
        if not inside:
            return 0
        claimed: list[tuple[Job, Instance]] = []
        try:
            with self.jobs.counts.unless_undone(), self.jobs.uow() as tx:
                most = min(self._next, self.most)
                claimed = tx.jobs.claim_some(inside, most)
                turn = _Turn(self, tx)
                turn.take(claimed)
        except DatabaseAway:
            raise
        except Exception:
            if not claimed:
                raise
            self.more = True
            return sum(self.jobs.run_inside() for _ in claimed)
        self._next = turn.next_time(most)
        self.more = len(claimed) == most or len(turn.moved) < len(claimed)
        for job, failure in turn.failed:
            self.jobs.fail(job, failure, worker=None)
        for _ in range(turn.busy):
            self.jobs.run_inside()
        return len(turn.moved)


class _Turn:
    """One transaction of them."""

    def __init__(self, many: RunMany, tx: Transaction) -> None:
        self.moved: set[str] = set()
        self.failed: list[tuple[Job, Exception]] = []
        self.busy = 0
        self._took_long = False
        self._many, self._tx = many, tx
        self._jobs = many.jobs
        self._until = many.monotonic_s() + many.longest_s

    def take(self, claimed: Sequence[tuple[Job, Instance]]) -> None:
        for job, instance in claimed:
            if instance.id in self.moved:
                continue  # another branch of it; its state is another one now
            if self._late and self.moved:
                break
            self.moved.add(instance.id)
            self._row(job, instance)
            if self._tx.deliveries.locks_messages:
                break  # everybody waits for messages; the others come later
        self._took_long = self._late

    def next_time(self, most: int) -> int:
        """How many to claim after this turn, for which so many were wanted."""
        return max(1, len(self.moved)) if self._took_long else 2 * most

    @property
    def _late(self) -> bool:
        return self._many.monotonic_s() > self._until

    def _row(self, job: Job, instance: Instance) -> None:
        """A job and what it leads to."""
        for _ in range(self._many.in_a_row):
            try:
                with self._tx.undoable(at_once=False):
                    step = self._one(job, instance)
            except DatabaseAway:
                raise
            except InstanceBusy:
                self.busy += 1
                return
            except Exception as failure:
                self.failed.append((self._written(job), failure))
                return
            following = None if step is None else self._following(step)
            if step is None or following is None or self._late:
                return
            instance = replace(instance, snapshot=step.snapshot)
            job = _job(following, instance)

    def _one(self, job: Job, instance: Instance) -> Step | None:
        tx = self._tx
        tx.instances.saved.discard(instance.id)
        answer = self._jobs.handlers.inside[job.topic](tx, job)
        if not isinstance(answer, Done):
            job = self._written(job)
        if instance.id in tx.instances.saved:  # by the handler itself
            instance = tx.instances.lock(instance.id)
        return self._jobs.settle(tx, job, answer, actor=job.topic, known=instance)

    def _written(self, job: Job) -> Job:
        if job.id != UNWRITTEN:
            return job
        return replace(job, id=self._tx.jobs.number_of(job.task_id))

    def _following(self, step: Step) -> JobWait | None:
        """The one job that a step has opened, if it is for a handler of this kind."""
        opened = [wait for wait in step.opened if isinstance(wait, JobWait)]
        if step.status.ended or len(opened) != 1:
            return None
        topic = opened[0].topic
        if topic == GO_ON_TOPIC:
            return None  # the model wants a commit before it
        return opened[0] if topic in self._jobs.handlers.inside else None


def _job(wait: JobWait, instance: Instance) -> Job:
    """As it would be claimed if it were written first."""
    assert instance.snapshot is not None  # noqa: S101
    inputs = instance.snapshot.variables if wait.inputs is None else wait.inputs
    return Job(
        id=UNWRITTEN,
        task_id=wait.task_id,
        instance_id=instance.id,
        business_key=instance.business_key,
        element=wait.element,
        topic=wait.topic,
        inputs=deepcopy(inputs),  # a handler may change what it gets
        attempts=0,
        retry_delays_s=tuple(wait.retry_delays_s),
        idempotency_key=f"{wait.task_id}:0",
    )
