"""Robots with wheels in metres and seconds, driven by grid traffic.

They turn on the spot, accelerate and brake, take longer cruises when they may enter
more cells while they drive, and report a cell in its middle. The watcher measures from
middle to middle and knows nothing of cells.
"""

from __future__ import annotations

import math
import random
from collections import deque
from dataclasses import dataclass, field
from itertools import combinations

from fleet.grid.floor import Cell
from fleet.grid.kinematics import Drive, cruise_state, turn_time_s
from fleet.grid.traffic import GridTraffic
from fleet.grid.traffic_messages import Go, Reached

CELL_M = 0.45
TICK_S = 0.1


@dataclass
class Wheels:
    """One robot: in ``at``, driving along ``run`` with what it has driven of it."""

    at: Cell
    heading_rad: float = 0.0
    ahead: deque[Cell] = field(default_factory=deque)
    run: list[Cell] = field(default_factory=list)
    driven_m: float = 0.0
    speed_mps: float = 0.0
    busy_until: float = 0.0

    @property
    def place_m(self) -> tuple[float, float]:
        dx, dy = math.cos(self.heading_rad), math.sin(self.heading_rad)
        return (
            CELL_M * self.at[0] + dx * self.driven_m,
            CELL_M * self.at[1] + dy * self.driven_m,
        )


class WheeledRobots:
    """All of them, in steps of a tenth of a second."""

    def __init__(self, traffic: GridTraffic, drive: Drive, seed: int) -> None:
        self.traffic, self.drive = traffic, drive
        self.robots: dict[str, Wheels] = {}
        self.goals: dict[str, Cell] = {}
        self.random = random.Random(seed)
        self.now = 0.0
        self.reached = 0
        self.nearest_m = math.inf
        self.longest_run = 0

    def put(self, name: str, cell: Cell) -> None:
        self.traffic.add(name, cell)
        self.robots[name] = Wheels(cell)

    def run_for(self, duration_s: float, cells: list[Cell], delays: float) -> None:
        """New goals for ever; robots stop for a while by chance."""
        ends_at = self.now + duration_s
        while self.now < ends_at:
            self._give_goals(cells)
            for message in self.traffic.advance(self.now):
                if isinstance(message, Go):
                    self.robots[message.robot].ahead.extend(message.cells)
            self.now += TICK_S
            for name, robot in self.robots.items():
                standing = robot.speed_mps == 0.0 and self.now >= robot.busy_until
                if standing and self.random.random() < delays * TICK_S:
                    robot.busy_until = self.now + self.random.uniform(1.0, 20.0)
                self._drive(name, robot)
            self._measure()

    def _give_goals(self, cells: list[Cell]) -> None:
        for name, robot in self.robots.items():
            if name not in self.goals or robot.at == self.goals[name]:
                self.reached += name in self.goals
                free = [c for c in cells if c not in self.goals.values()]
                self.goals[name] = self.random.choice(free)
                self.traffic.set_goal(name, self.goals[name])

    def _drive(self, name: str, robot: Wheels) -> None:
        if self.now < robot.busy_until:
            return
        while robot.ahead and self._is_straight(robot):
            robot.run.append(robot.ahead.popleft())
        if not robot.run:
            if robot.ahead:
                self._turn(robot)
            return
        self.longest_run = max(self.longest_run, len(robot.run))
        left_m = CELL_M * len(robot.run) - robot.driven_m
        step_m, robot.speed_mps = cruise_state(
            self.drive, robot.speed_mps, left_m, TICK_S
        )
        robot.driven_m += step_m
        while robot.run and robot.driven_m >= CELL_M - 1e-9:
            robot.at = robot.run.pop(0)
            robot.driven_m = max(0.0, robot.driven_m - CELL_M)
            self.traffic.report(name, Reached(robot.at))
        if not robot.run:
            robot.driven_m = robot.speed_mps = 0.0

    def _is_straight(self, robot: Wheels) -> bool:
        x0, y0 = robot.run[-1] if robot.run else robot.at
        x1, y1 = robot.ahead[0]
        wanted = math.atan2(y1 - y0, x1 - x0)
        return abs(math.remainder(wanted - robot.heading_rad, math.tau)) < 1e-6

    def _turn(self, robot: Wheels) -> None:
        (x0, y0), (x1, y1) = robot.at, robot.ahead[0]
        wanted = math.atan2(y1 - y0, x1 - x0)
        turn_s = turn_time_s(self.drive, wanted - robot.heading_rad)
        robot.busy_until = self.now + turn_s
        robot.heading_rad = wanted

    def _measure(self) -> None:
        places = [robot.place_m for robot in self.robots.values()]
        for a, b in combinations(places, 2):
            self.nearest_m = min(self.nearest_m, math.dist(a, b))
