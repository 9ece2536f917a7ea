"""Count what the history says, so that lists and heat maps need not read it again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mpms.ports.store import UnitOfWork

FEWEST, MOST = 100, 5_000
AT_A_TIME_S = 0.01  # what comes meanwhile waits so long
EVERY_S = 1.0


@dataclass
class TallyHistory:
    """A worker's phase; the figures are a second behind, the work is never held up.

    After a time without workers there is much to count. It is counted in portions that
    are as large as a short while allows, with the worker's other phases in between.
    """

    uow: UnitOfWork
    clock_s: Callable[[], float] = time.monotonic
    _lines: int = field(default=FEWEST)
    _next_at: float = field(default=0.0)

    def __call__(self) -> bool:
        begun = self.clock_s()
        if begun < self._next_at:
            return False
        with self.uow() as tx:
            more = tx.tallies.follow(self._lines)
        ended = self.clock_s()
        if not more:
            self._next_at = ended + EVERY_S
            return False
        quick = ended - begun < AT_A_TIME_S
        self._lines = min(
            max(self._lines * 2 if quick else self._lines // 2, FEWEST), MOST
        )
        return True
