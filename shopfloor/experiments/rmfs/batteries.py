"""Batteries of robots: empty with work, full with rest. Off unless a layout has them.

The published warehouse never recharges; this is the extension that it names. Robots
charge where they rest, as on pads below the storage places, and take no new task while
they are low.
"""

from __future__ import annotations

from collections.abc import Callable

from fleet.rmfs.layout import LayoutParameters

HOUR_S = 3600.0


class Batteries:
    """Shares of all robots. ``charged`` is called when one may work again."""

    def __init__(
        self,
        layout: LayoutParameters,
        at: Callable[[float, Callable[[], None]], None],
        charged: Callable[[], None],
    ) -> None:
        self.on = layout.battery_h > 0.0
        self._given, self._at, self._charged = layout, at, charged
        self._share = [1.0] * layout.robots
        self._since = [0.0] * layout.robots
        self._resting = [True] * layout.robots
        self._low = [False] * layout.robots
        self.charges = 0
        self.charging_s = 0.0
        self.least = 1.0

    def share(self, robot: int, now: float) -> float:
        """How full it is."""
        self._bring_up_to(robot, now)
        return self._share[robot]

    def rest(self, robot: int, now: float) -> None:
        """It stands where it rests, and charges."""
        if not self.on:
            return
        self._bring_up_to(robot, now)
        self._resting[robot] = True
        if self._low[robot]:
            lacking = self._given.battery_enough - self._share[robot]
            self._at(
                now + max(0.0, lacking) * self._given.charging_h * HOUR_S + 1e-3,
                self._charged,
            )

    def work(self, robot: int, now: float) -> None:
        if self.on:
            self._bring_up_to(robot, now)
            self._resting[robot] = False

    def may_work(self, robot: int, now: float) -> bool:
        """Whether it may take a task; who is low charges first."""
        if not self.on:
            return True
        share = self.share(robot, now)
        if not self._low[robot] and share < self._given.battery_low:
            self._low[robot] = True
            self.charges += 1
        elif self._low[robot] and share >= self._given.battery_enough:
            self._low[robot] = False
        return not self._low[robot]

    def close_books(self, now: float) -> None:
        for robot in range(len(self._share)):
            self._bring_up_to(robot, now)

    def _bring_up_to(self, robot: int, now: float) -> None:
        gone_s, given = now - self._since[robot], self._given
        self._since[robot] = now
        if not self.on or gone_s <= 0.0:
            return
        if self._resting[robot]:
            full_s = (1.0 - self._share[robot]) * given.charging_h * HOUR_S
            self.charging_s += min(gone_s, full_s)
            gained = gone_s / (given.charging_h * HOUR_S)
            self._share[robot] = min(1.0, self._share[robot] + gained)
        else:
            self._share[robot] -= gone_s / (given.battery_h * HOUR_S)
            self.least = min(self.least, self._share[robot])
            self._share[robot] = max(0.0, self._share[robot])
