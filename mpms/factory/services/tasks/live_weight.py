"""What the scale on a robot shows this moment, for the tablet beside it.

Only to look at: what counts is weighed after the confirmation. Several tablets at one
robot ask it once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal

from mpms.factory.ports.robots.robots import RobotAway
from mpms.factory.ports.scales import Scale, ScaleUnavailable

FRESH_S = 0.5


@dataclass(frozen=True)
class ShownWeight:
    """``kg`` of the line that is loaded, with its earlier parts, once it is at rest."""

    kg: float | None = None
    moving: bool = False  # it answers, and the load swings
    away: bool = False  # it does not answer


class LiveWeights:
    """``elsewhere``: places and robots with a scale of their own, which answers only
    one at a time and is left to the worker's weighing."""

    def __init__(
        self,
        scale: Scale,
        *,
        elsewhere: Collection[str] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scale = scale
        self._elsewhere = frozenset(elsewhere)
        self._now = now
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._seen: dict[str, tuple[float, ShownWeight]] = {}

    def has(self, robot: str, place: str | None) -> bool:
        return robot not in self._elsewhere and place not in self._elsewhere

    def of(self, robot: str, place: str | None) -> ShownWeight:
        """Waits until the scale is at rest, or for as long as the scale is asked."""
        with self._lock:
            asking = self._asking.setdefault(robot, threading.Lock())
        with asking:
            seen_at, seen = self._seen.get(robot, (float("-inf"), ShownWeight()))
            if self._now() - seen_at < FRESH_S:
                return seen
            seen = self._ask(robot, place)
            self._seen[robot] = self._now(), seen
            return seen

    def _ask(self, robot: str, place: str | None) -> ShownWeight:
        try:
            weight = self._scale.weigh(robot, place)
        except RobotAway:
            return ShownWeight(away=True)
        except ScaleUnavailable:
            return ShownWeight(moving=True)
        return ShownWeight(float(weight.net_kg.quantize(Decimal("0.001"))))
