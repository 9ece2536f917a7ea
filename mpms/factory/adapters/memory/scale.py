"""A scale that shows what it is told to show."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

from mpms.factory.domain.weighing import Weight
from mpms.factory.ports.scales import ScaleUnavailable


class LoopbackScale:
    """Readings are queued; without one, ``default`` is asked."""

    def __init__(self, default: Callable[[str], float] | None = None) -> None:
        self._default = default
        self.readings: list[float] = []
        self.broken: str | None = None

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        if self.broken is not None:
            raise ScaleUnavailable(self.broken)
        if self.readings:
            return self._weight(robot, self.readings.pop(0))
        if self._default is None:
            raise ScaleUnavailable("the scale shows nothing")
        return self._weight(robot, self._default(robot))

    @staticmethod
    def _weight(robot: str, kg: float) -> Weight:
        shown = Decimal(str(kg))
        now = datetime.now(UTC)
        return Weight(shown, f"memory {robot}", f"{kg} kg", now, stays=True)
