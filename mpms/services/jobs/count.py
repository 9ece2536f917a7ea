"""Tell the database how many jobs this worker has run and how many failed.

Counted in memory, because a job that goes well leaves no line of its own; what a
killed worker had counted since the last time is lost, and only that.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mpms.ports.store import UnitOfWork

WRITE_EVERY_S = 5.0


@dataclass
class JobCounts:
    """By topic, since they were written last; threads add to it."""

    run: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def unless_undone(self) -> Iterator[None]:
        """What a block counts before it raises was not done."""
        before = Counter(self.run)
        try:
            yield
        except BaseException:
            self.run.clear()
            self.run.update(before)
            raise


@dataclass
class CountJobs:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    counts: JobCounts
    monotonic_s: Callable[[], float] = time.monotonic
    _write_at: float = 0.0

    def __call__(self) -> bool:
        now = self.monotonic_s()
        run, failed = +self.counts.run, +self.counts.failed
        if now < self._write_at or not (run or failed):
            return False
        self._write_at = now + WRITE_EVERY_S
        with self.uow() as tx:
            tx.tallies.count_jobs(run, failed)
        # What was added meanwhile stays.
        self.counts.run.subtract(run)
        self.counts.failed.subtract(failed)
        return False
