"""What robots do with their time, and where they wait: for curves, figures and the heat
map. Seconds are gathered in memory and added to rows every few seconds; what a killed
worker had not written is lost, and nothing is decided by it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fleet.fleet import Fleet
from fleet.model.world import Level
from fleet.vehicles import Doing, Vehicle
from mpms.factory.ports.fleet import MinuteRow

LONGEST_S = 10.0  # a longer gap was no look at the robots
STOOD_M = 0.05
FIELDS = ("driving_s", "empty_s", "waiting_s", "acting_s", "charging_s", "idle_s")


@dataclass
class Minutes:
    """Adds up between two writes."""

    spent: dict[str, dict[str, float]] = field(default_factory=dict)
    squares: dict[tuple[int, int], float] = field(default_factory=dict)
    _at: float | None = None
    _was: dict[str, tuple[float, float]] = field(default_factory=dict)

    def look(self, now: float, fleet: Fleet) -> None:
        passed_s = 0.0 if self._at is None else now - self._at
        self._at = now
        if not 0.0 < passed_s <= LONGEST_S:
            return
        for vehicle in fleet.vehicles.values():
            if vehicle.level is Level.USED and vehicle.known:
                self._add(vehicle, passed_s)

    def _add(self, vehicle: Vehicle, passed_s: float) -> None:
        x_m, y_m = vehicle.x_m or 0.0, vehicle.y_m or 0.0
        was = self._was.get(vehicle.id, (x_m, y_m))
        moved = math.dist(was, (x_m, y_m)) > STOOD_M
        self._was[vehicle.id] = (x_m, y_m)
        spent = self.spent.setdefault(vehicle.id, dict.fromkeys(FIELDS, 0.0))
        waits = vehicle.doing is Doing.WAITING and not moved
        if vehicle.doing is Doing.CHARGING:
            spent["charging_s"] += passed_s
        elif vehicle.doing in (Doing.ACTING, Doing.CONFIRMING):
            spent["acting_s"] += passed_s
        elif vehicle.target and moved:
            spent["driving_s"] += passed_s
            if not vehicle.load:
                spent["empty_s"] += passed_s
        elif vehicle.target or waits:
            spent["waiting_s"] += passed_s
            square = (math.floor(x_m), math.floor(y_m))
            self.squares[square] = self.squares.get(square, 0.0) + passed_s
        else:
            spent["idle_s"] += passed_s

    def take(
        self, fleet: Fleet
    ) -> tuple[list[MinuteRow], dict[tuple[int, int], float]]:
        """What came together since the last time."""
        rows = [
            MinuteRow(robot, fleet.vehicles[robot].percent, **spent)
            for robot, spent in sorted(self.spent.items())
        ]
        squares, self.squares = self.squares, {}
        self.spent = {}
        return rows, squares
