"""A scale that shows what it is told to show."""

from __future__ import annotations

from collections.abc import Callable

from mpms.factory.ports.scales import ScaleUnavailable


class LoopbackScale:
    """Readings are queued; without one, ``default`` is asked."""

    def __init__(self, default: Callable[[str], float] | None = None) -> None:
        self._default = default
        self.readings: list[float] = []
        self.broken: str | None = None

    def net_kg(self, robot: str) -> float:
        if self.broken is not None:
            raise ScaleUnavailable(self.broken)
        if self.readings:
            return self.readings.pop(0)
        if self._default is None:
            raise ScaleUnavailable("the scale shows nothing")
        return self._default(robot)
