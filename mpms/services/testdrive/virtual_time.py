"""A clock that jumps to whatever comes next."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count


class VirtualTime:
    """A clock, and what is to be done when; of the same time, the first first."""

    def __init__(self, begin_at: datetime) -> None:
        self.begin_at = begin_at
        self.now_s = 0.0
        self._numbers = count()
        self._heap: list[tuple[float, int, Callable[[], None]]] = []

    def now(self) -> datetime:
        return self.begin_at + timedelta(seconds=self.now_s)

    def seconds_at(self, at: datetime) -> float:
        return (at - self.begin_at).total_seconds()

    def at(self, at_s: float, do: Callable[[], None]) -> None:
        heapq.heappush(self._heap, (max(at_s, self.now_s), next(self._numbers), do))

    def later(self, delay_s: float, do: Callable[[], None]) -> None:
        self.at(self.now_s + max(delay_s, 0.0), do)

    def next(self, until_s: float) -> Callable[[], None] | None:
        """Go on to what comes next; None: nothing does before then."""
        if not self._heap or self._heap[0][0] > until_s:
            return None
        self.now_s, _, do = heapq.heappop(self._heap)
        return do
