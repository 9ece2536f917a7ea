"""The queue: a table, claimed with SKIP LOCKED.

A job is changed under the lock of its instance: ``claim_inside`` and ``hold`` take
both locks, in that order. Only leasing, renewing and releasing do without the
instance, and they skip what is locked, so they never wait and no circle can close.
"""

from __future__ import annotations

from collections.abc import Iterable

from mpms.adapters.postgres.database.statements import REACH, Repository, Row
from mpms.adapters.postgres.instances.instances import instance_of
from mpms.domain.errors import TaskGone
from mpms.domain.instances.instances import Instance
from mpms.domain.jobs import Job, WaitingJob

HOLD_WAIT_S = 30.0
MANY_WAIT_S = 0.2  # less than PostgreSQL lets pass before it looks for a deadlock


class Jobs(Repository):
    """Rows of ``jobs``."""

    def claim_inside(self, topics: Iterable[str]) -> Job | None:
        """Take one due job and lock its instance for this transaction."""
        claimed = self._claim(topics, 1)
        return claimed[0][0] if claimed else None

    def claim_some(
        self, topics: Iterable[str], most: int
    ) -> list[tuple[Job, Instance]]:
        """Take due jobs and lock their instances for this transaction.

        Who holds so many must not wait long for anything else: InstanceBusy then.
        """
        self._statements.run_later(
            "instances_limit_wait", milliseconds=round(MANY_WAIT_S * 1000)
        )
        return self._claim(topics, most)

    def _claim(self, topics: Iterable[str], most: int) -> list[tuple[Job, Instance]]:
        rows = self._statements.claim(
            "jobs_claim_inside", reach=most + REACH, topics=list(topics), most=most
        )
        return [(_job(row[:10]), instance_of(row[10:])) for row in rows]

    def claim_outside(
        self, topics: Iterable[str], *, worker: str, lease_s: float, limit: int
    ) -> list[Job]:
        """Lease due jobs, also those whose lease ran out.

        Commit before working: the lease is what others see.
        """
        rows = self._statements.claim(
            "jobs_claim_outside",
            reach=limit + REACH,
            topics=list(topics),
            worker=worker,
            lease_s=lease_s,
            limit=limit,
        )
        return [_job(row) for row in rows]

    def hold(self, job_id: int, worker: str | None) -> bool:
        """Lock a job for settling, and its instance before it.

        ``worker`` is None for an inside job, which nobody leases. False if another
        worker has it now or nobody needs it any more. InstanceBusy. One a
        transaction, and not the one that leased it: who waits for an instance must
        hold neither another instance nor a job.
        """
        with self._statements.waiting_at_most(HOLD_WAIT_S):
            row = self._statements.row("jobs_hold", id=job_id, worker=worker)
        return row is not None

    def hold_free(
        self, job_ids: Iterable[int], worker: str
    ) -> list[tuple[int, Instance]]:
        """Lock jobs that a worker leases for settling, and their instances before
        them; those of instances that somebody else has are left out."""
        rows = self._statements.rows("jobs_hold_free", ids=list(job_ids), worker=worker)
        return [(row[0], instance_of(row[1:])) for row in rows]

    def number_of(self, task_id: str) -> int:
        """The number of a job that was opened in this transaction. TaskGone."""
        row = self._statements.row("jobs_number", task_id=task_id)
        if row is None:
            raise TaskGone
        number: int = row[0]
        return number

    def renew(self, worker: str, job_ids: Iterable[int], lease_s: float) -> None:
        self._statements.run(
            "jobs_renew", worker=worker, ids=list(job_ids), lease_s=lease_s
        )

    def release(self, worker: str) -> int:
        """Give back what a worker that stops in good order still holds."""
        return self._statements.run("jobs_release", worker=worker)

    def postpone(
        self, job_id: int, *, delay_s: float, error: str | None, failed: bool
    ) -> None:
        """Run again later; ``failed`` counts as an attempt."""
        self._statements.run(
            "jobs_postpone", id=job_id, delay_s=delay_s, error=error, failed=failed
        )

    def wait_for_report(self, job_id: int) -> None:
        """The handler has handed the work on; do not run it again."""
        self._statements.run("jobs_hand_on", id=job_id)

    def give_up(self, job_id: int, error: str) -> None:
        """No more attempts until an operator resets it."""
        self._statements.run("jobs_give_up", id=job_id, error=error)

    def reset(self, task_id: str) -> bool:
        """Let a job that came to nothing run again, with a new idempotency key."""
        return self._statements.run("jobs_reset", task_id=task_id) > 0

    def topics(self) -> frozenset[str]:
        """Every topic that a ready job has."""
        return frozenset(row[0] for row in self._statements.rows("jobs_topics"))

    def untold(self, topics: Iterable[str], *, limit: int) -> list[WaitingJob]:
        """Due jobs of these topics that no open incident tells of, oldest first."""
        rows = self._statements.rows("jobs_untold", topics=list(topics), limit=limit)
        return [WaitingJob(*row) for row in rows]

    def counts(self) -> dict[str, int]:
        """How many jobs are ready, leased, handed_on and given_up."""
        row = self._statements.row("jobs_count") or (0, 0, 0, 0)
        states = ("ready", "leased", "handed_on", "given_up")
        return dict(zip(states, row, strict=True))


def _job(row: Row) -> Job:
    *head, inputs, attempts, retry_delays_s, resets = row
    job_id, task_id, instance_id, business_key, element, topic = head
    return Job(
        id=job_id,
        task_id=task_id,
        instance_id=instance_id,
        business_key=business_key,
        element=element,
        topic=topic,
        inputs=inputs,
        attempts=attempts,
        retry_delays_s=tuple(retry_delays_s),
        idempotency_key=f"{task_id}:{resets}",
    )
