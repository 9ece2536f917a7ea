"""The trial of the emergency stop: robots beside racks, the literal rule and ours.

Ten robots start beside racks, nearer than people would, and drive from one loading
place to the next, all of them beside racks; ``shopfloor experiment stop`` tells how
many of them stand for ever under each rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from shopfloor.control.emergency import EmergencyStop, LiteralStop
from shopfloor.control.limits import RobotLimits
from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid
from shopfloor.lasers import Laser, front_and_rear, simulate_scan
from shopfloor.pilot import Command, Pilot, PilotStatus

Rule = Literal["literal", "unexplained"]
CYCLE_S = 0.025
STANDING_S = 10.0
"""A robot with a goal that did not move for so long stands for ever."""
NOTHING = np.empty((0, 4))
NOBODY = np.empty((0, 3))


class Floor:
    """A robot that does exactly as it is told, and lasers around it."""

    def __init__(
        self,
        grid: Grid,
        pose: Pose,
        lasers: tuple[Laser, ...],
        random: np.random.Generator,
        radius_m: float = 0.3,
    ) -> None:
        self.grid = grid
        self.pose = pose
        self.lasers = lasers
        self.radius_m = radius_m
        self.now_s = 0.0
        self.travelled_m = 0.0
        self._random = random

    def scans(
        self, boxes: ArrayLike = NOTHING, discs: ArrayLike = NOBODY
    ) -> list[Scan]:
        return [
            simulate_scan(self.grid, self.pose, laser, self._random, boxes, discs)
            for laser in self.lasers
        ]

    def move(self, command: Command, dt_s: float = CYCLE_S) -> None:
        vx, vy, turn = command.vx_mps, command.vy_mps, command.wz_radps
        half = 0.5 * turn * dt_s
        middle = Pose(self.pose.x_m, self.pose.y_m, self.pose.yaw_rad + half)
        self.pose = middle.plus(Pose(vx * dt_s, vy * dt_s, half))
        self.travelled_m += math.hypot(vx, vy) * dt_s
        self.now_s += dt_s

    def clearance_m(self) -> float:
        """From the hull to the nearest mapped cell, exact."""
        x, y = self.grid.to_cells(self.pose.x_m, self.pose.y_m)
        reach = int(3.0 / self.grid.resolution_m)
        row, column = int(y) - 1, int(x) - 1
        low, left = max(row - reach, 0), max(column - reach, 0)
        part = self.grid.cells[low : row + reach + 1, left : column + reach + 1]
        rows, columns = np.nonzero(part)
        if len(rows) == 0:
            return 3.0
        dx = np.maximum(np.abs(columns + left + 1.5 - x) - 0.5, 0.0)
        dy = np.maximum(np.abs(rows + low + 1.5 - y) - 0.5, 0.0)
        return float(np.hypot(dx, dy).min()) * self.grid.resolution_m - self.radius_m


@dataclass(frozen=True, slots=True)
class TrialResult:
    rule: Rule
    robots: int
    deadlocked: int
    goals_reached: int
    contacts: int
    least_clearance_m: float


def rack_hall() -> Grid:
    """14 by 9 metres, two rows of racks of 2 m with aisles around them."""
    cells = np.zeros((180, 280), np.bool_)
    cells[:2], cells[-2:], cells[:, :2], cells[:, -2:] = True, True, True, True
    for low in (44, 116):
        for left in (40, 120, 200):
            cells[low : low + 20, left : left + 40] = True
    return Grid.of(cells, 0.05)


def _beside_rack(random: np.random.Generator, gap_m: float) -> Pose:
    """On the long side of a rack, the hull so far from it."""
    left = (40, 120, 200)[int(random.integers(3))] * 0.05
    low = (44, 116)[int(random.integers(2))] * 0.05
    x = left + float(random.uniform(0.2, 1.8))
    above = bool(random.integers(2))
    y = low + 1.0 + 0.3 + gap_m if above else low - 0.3 - gap_m
    return Pose(x, y, float(random.uniform(-math.pi, math.pi)))


def run_trial(
    rule: Rule,
    seed: int = 1,
    robots: int = 10,
    time_limit_s: float = 40.0,
    cycle_s: float = CYCLE_S,
    beams: int = 181,
) -> TrialResult:
    """Every robot alone in the hall; the same starts and goals under both rules."""
    if rule not in ("literal", "unexplained"):
        raise ValueError(f"there is no rule {rule!r}")
    grid = rack_hall()
    deadlocked = reached = contacts = 0
    least = math.inf
    for robot in range(robots):
        random = np.random.default_rng((seed, robot))
        lasers = front_and_rear(ahead_m=0.25, beams=beams, range_max_m=12.0)
        start = _beside_rack(random, float(random.uniform(0.10, 0.30)))
        floor = Floor(grid, start, lasers, random)
        if rule == "literal":
            pilot = Pilot(grid, RobotLimits(), stop=LiteralStop(), escape=False)
        else:
            pilot = Pilot(grid, RobotLimits(), stop=EmergencyStop())
        places = np.random.default_rng((seed, robot, 1))
        moved_s, stood_at = 0.0, floor.pose
        least_here = math.inf
        while floor.now_s < time_limit_s:
            if pilot.goal is None:
                there = _beside_rack(places, float(places.uniform(0.10, 0.30)))
                pilot.set_goal(there.x_m, there.y_m, there.yaw_rad)
            command = pilot.step(floor.now_s, floor.pose, None, floor.scans())
            floor.move(command, cycle_s)
            reached += command.status is PilotStatus.ARRIVED
            if floor.pose.distance_to(stood_at) > 0.05 or command.wz_radps != 0.0:
                moved_s, stood_at = floor.now_s, floor.pose
            least_here = min(least_here, floor.clearance_m())
        deadlocked += floor.now_s - moved_s >= STANDING_S
        contacts += least_here <= 0.0
        least = min(least, least_here)
    return TrialResult(rule, robots, deadlocked, reached, contacts, least)
