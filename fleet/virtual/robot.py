"""A robot that drives, turns, accelerates, loads and uses its battery."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fleet.events import Reported
from fleet.model.world import RobotType
from fleet.roads.driving import STRAIGHT, angle_between
from fleet.tasks.task import Action
from fleet.traffic.port import Waypoint

ARRIVED_M = 1e-3


@dataclass
class VirtualRobot:
    """Differential drive: it turns on the spot and drives straight lines."""

    id: str
    type: RobotType
    x_m: float
    y_m: float
    yaw: float = 0.0
    percent: float = 100.0
    speed_mps: float = 0.0
    path: list[Waypoint] = field(default_factory=list)
    final_yaw: float | None = None
    load: str = ""
    charging: bool = False
    acts: tuple[Action, str, float] | None = None  # what, package, until
    dead: bool = False
    slow: float = 1.0  # share of its speed that it reaches
    driven_m: float = 0.0
    top_mps: float = 0.0

    def report(self) -> Reported:
        return Reported(self.id, self.x_m, self.y_m, self.yaw, self.percent)

    def stop(self) -> None:
        """Where it is, at once; what it was about to load stays where it lies."""
        self.path = []
        self.speed_mps = 0.0
        self.acts = None

    def drive(self, path: tuple[Waypoint, ...], yaw: float | None) -> None:
        self.path, self.final_yaw = list(path), yaw

    def move(self, dt_s: float) -> None:
        """Drive for a while; the battery falls with it."""
        if self.dead:
            return
        left_s, drove = dt_s, False
        while left_s > 1e-9 and self.path:
            left_s, drove = self._move_once(left_s)[0], True
        if not self.path and self.final_yaw is not None:
            turn = self.type.turning_radps * left_s
            self.yaw = _turned(self.yaw, self.final_yaw, turn)
        rate = self.type.discharging_pps if drove else self.type.idle_discharging_pps
        self.percent = max(0.0, self.percent - rate * dt_s)

    def _move_once(self, left_s: float) -> tuple[float, float]:
        goal = self.path[0]
        away_m = math.hypot(goal.x_m - self.x_m, goal.y_m - self.y_m)
        if away_m < ARRIVED_M:
            self.path.pop(0)
            return left_s, 0.0
        heading = math.atan2(goal.y_m - self.y_m, goal.x_m - self.x_m)
        angle = angle_between(self.yaw, heading)
        if angle > STRAIGHT:
            self.speed_mps = 0.0
            needed_s = angle / self.type.turning_radps
            taken_s = min(left_s, needed_s)
            self.yaw = _turned(self.yaw, heading, taken_s * self.type.turning_radps)
            return left_s - taken_s, 0.0
        self.yaw = heading
        limit_mps = min(goal.speed_mps, self.type.speed_mps) * self.slow
        stop_m = self._straight_m(away_m, heading)
        brake_mps = math.sqrt(2 * self.type.acceleration_mps2 * stop_m)
        step_s = min(left_s, 0.1)
        faster = self.speed_mps + self.type.acceleration_mps2 * step_s
        self.speed_mps = max(0.02, min(faster, limit_mps, brake_mps))
        self.top_mps = max(self.top_mps, self.speed_mps)
        drive_m = min(away_m, self.speed_mps * step_s)
        self.x_m += drive_m * math.cos(heading)
        self.y_m += drive_m * math.sin(heading)
        self.driven_m += drive_m
        if drive_m >= away_m:
            self.path.pop(0)
            step_s = min(step_s, drive_m / self.speed_mps)
        return left_s - max(step_s, 1e-6), drive_m

    def _straight_m(self, first_m: float, heading: float) -> float:
        """How far it goes straight on before it has to stop."""
        total_m = first_m
        for a, b in zip(self.path, self.path[1:], strict=False):
            turn = math.atan2(b.y_m - a.y_m, b.x_m - a.x_m)
            if angle_between(heading, turn) > STRAIGHT or total_m > 4.0:
                break
            total_m += math.hypot(b.x_m - a.x_m, b.y_m - a.y_m)
        return total_m


def _turned(yaw: float, to: float, most: float) -> float:
    """Turned towards a heading by at most so much."""
    gap = (to - yaw + math.pi) % math.tau - math.pi
    if abs(gap) <= most:
        return to
    return yaw + math.copysign(most, gap)
