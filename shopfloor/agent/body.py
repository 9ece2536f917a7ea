"""Sensors and actuators of an agent in a simulated hall, which alone knows the truth.

Every message comes from the hall and every command goes to it. While the hall stands
still, so do the messages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from fleet.model.world import RobotType
from shopfloor.agent.obstacles import NOTHING, Point3
from shopfloor.geometry import Pose, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import Laser, simulate_scan

LASER = Laser(beams=181, field_of_view_rad=math.radians(240.0), range_max_m=6.0)


@dataclass
class Body:
    """One robot. ``speeds`` are what its motion actuator was told."""

    hall: Hall
    type: RobotType
    pose: Pose
    percent: float = 100.0
    speeds: tuple[float, float] = (0.0, 0.0)
    driven_m: float = 0.0

    # Motion actuator

    def set_speed(self, linear_mps: float, angular_radps: float) -> bool:
        """False: more than the robot can; nothing changes."""
        fast = abs(linear_mps) > self.type.speed_mps + 1e-9
        if fast or abs(angular_radps) > self.type.turning_radps + 1e-9:
            return False
        self.speeds = linear_mps, angular_radps
        return True

    def stop(self) -> bool:
        self.speeds = 0.0, 0.0
        return True

    # Sensors

    def pose_sensor(self) -> Pose:
        return self.pose

    def battery_sensor(self) -> float:
        """Percent."""
        return self.percent

    def laser_sensor(self) -> list[Point3]:
        """A point a beam, seen from the robot; (0, 0, 0) where nothing is hit."""
        scan = simulate_scan(
            self.hall.grid, self.pose, LASER, self.hall.random, discs=self.hall.discs
        )
        points = []
        for index, range_m in enumerate(scan.ranges_m.tolist()):
            angle = scan.angle_min_rad + index * scan.angle_step_rad
            hit = math.isfinite(range_m) and range_m < scan.range_max_m
            points.append(
                (range_m * math.cos(angle), range_m * math.sin(angle), 0.0)
                if hit
                else NOTHING
            )
        return points

    def move(self, dt_s: float) -> None:
        linear, angular = self.speeds
        if self.percent <= 0.0:
            linear = angular = 0.0
        yaw = wrapped(self.pose.yaw_rad + angular * dt_s)
        middle = self.pose.yaw_rad + angular * dt_s / 2
        self.pose = Pose(
            self.pose.x_m + linear * dt_s * math.cos(middle),
            self.pose.y_m + linear * dt_s * math.sin(middle),
            yaw,
        )
        self.driven_m += abs(linear) * dt_s
        moves = linear != 0.0 or angular != 0.0
        rate = self.type.discharging_pps if moves else self.type.idle_discharging_pps
        self.percent = max(0.0, self.percent - rate * dt_s)


@dataclass
class Hall:
    """Walls of a map, and things that stand about: x, y, radius."""

    grid: Grid
    discs: list[tuple[float, float, float]] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    running: bool = True
    now: float = 0.0
    random: np.random.Generator = field(
        default_factory=lambda: np.random.default_rng(0)
    )

    def add(self, type_: RobotType, pose: Pose, percent: float = 100.0) -> Body:
        self.bodies.append(Body(self, type_, pose, percent))
        return self.bodies[-1]

    def step(self, dt_s: float) -> None:
        if not self.running:
            return
        self.now += dt_s
        for body in self.bodies:
            body.move(dt_s)
