"""Count what the history says, so that lists and heat maps need not read it again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from mpms.ports.store import UnitOfWork

LINES = 5_000
EVERY_S = 1.0


@dataclass
class TallyHistory:
    """A worker's phase; the figures are a second behind, the work is never held up."""

    uow: UnitOfWork
    _next_at: float = field(default=0.0)

    def __call__(self) -> bool:
        if time.monotonic() < self._next_at:
            return False
        with self.uow() as tx:
            more = tx.tallies.follow(LINES)
        if not more:
            self._next_at = time.monotonic() + EVERY_S
        return more
