"""The queue of jobs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mpms.domain.instances.instances import Instance
from mpms.domain.jobs import Job, WaitingJob


class Jobs(Protocol):
    """The queue: a table, claimed with SKIP LOCKED."""

    def claim_inside(self, topics: Iterable[str]) -> Job | None:
        """Take one due job and lock its instance for this transaction."""
        ...

    def claim_some(
        self, topics: Iterable[str], most: int
    ) -> list[tuple[Job, Instance]]:
        """Take due jobs and lock their instances; no other lock is waited for long."""
        ...

    def claim_outside(
        self, topics: Iterable[str], *, worker: str, lease_s: float, limit: int
    ) -> list[Job]:
        """Lease due jobs, also those whose lease ran out."""
        ...

    def hold(self, job_id: int, worker: str | None) -> bool:
        """Lock a job for settling; False if another worker has it now. ``worker``
        is None for an inside job, which nobody leases."""
        ...

    def hold_free(
        self, job_ids: Iterable[int], worker: str
    ) -> list[tuple[int, Instance]]:
        """Lock jobs of this worker for settling whose instances are free."""
        ...

    def number_of(self, task_id: str) -> int:
        """The number of a job that was opened in this transaction."""
        ...

    def renew(self, worker: str, job_ids: Iterable[int], lease_s: float) -> None: ...
    def release(self, worker: str) -> int:
        """Give back what a worker that stops in good order still holds."""
        ...

    def postpone(
        self, job_id: int, *, delay_s: float, error: str | None, failed: bool
    ) -> None:
        """Run again later; ``failed`` counts as an attempt."""
        ...

    def wait_for_report(self, job_id: int) -> None:
        """The handler has handed the work on; do not run it again."""
        ...

    def give_up(self, job_id: int, error: str) -> None:
        """No more attempts until an operator resets it."""
        ...

    def reset(self, task_id: str) -> bool:
        """Let a job that was given up or handed on in vain run again, with a new
        idempotency key."""
        ...

    def topics(self) -> frozenset[str]:
        """Every topic that a ready job has."""
        ...

    def untold(self, topics: Iterable[str], *, limit: int) -> list[WaitingJob]:
        """Due jobs of these topics that no open incident tells of, oldest first."""
        ...

    def counts(self) -> dict[str, int]: ...
