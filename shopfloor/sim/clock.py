"""Clocks for the simulator.

Every part that depends on time asks a clock, so that the five-second memory of
an action server can be shown in a test without waiting for it.
"""

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""
        ...


class WallClock:
    """Epoch time that never runs backwards, whatever happens to the system clock."""

    def __init__(self) -> None:
        self._offset_s = time.time() - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset_s


class ManualClock:
    """A clock that moves only when told to."""

    def __init__(self, start_s: float = 1_700_000_000.0) -> None:
        self._now_s = start_s

    def now(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        self._now_s += seconds


class Every:
    """Says once per period that it is time; a late caller is not owed the past."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._next_at = float("-inf")

    def due(self, now: float) -> bool:
        if now < self._next_at:
            return False
        following = self._next_at + self._period_s
        self._next_at = following if following > now else now + self._period_s
        return True
