"""A worker says that it is alive and what it serves, so that others notice when it is
not and what nobody serves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from mpms.ports.store import UnitOfWork
from mpms.services.jobs.handlers import Handlers

EVERY_S = 5.0


@dataclass
class Heartbeat:
    """The first phase of a worker's round."""

    uow: UnitOfWork
    worker: str
    version: str
    poll_s: float
    handlers: Handlers
    monotonic_s: Callable[[], float] = time.monotonic
    wall: Callable[[], datetime] = lambda: datetime.now(UTC)
    rounds: int = 0
    failure: str | None = None
    _next_at: float = 0.0

    def __call__(self) -> bool:
        self.rounds += 1
        now = self.monotonic_s()
        if now >= self._next_at:
            with self.uow() as tx:
                tx.workers.beat(
                    self.worker,
                    version=self.version,
                    poll_s=self.poll_s,
                    rounds=self.rounds,
                    failure=self.failure,
                    topics=self.handlers.claimed,
                    wall_at=self.wall(),
                )
            self._next_at = now + EVERY_S
            self.failure = None
        return False

    def leave(self) -> None:
        """Before a stop in good order."""
        with self.uow() as tx:
            tx.workers.leave(self.worker)
