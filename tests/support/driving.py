"""A floor to drive on: a robot that does as its pilot says, boxes and walkers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from shopfloor.control.trial import Floor
from shopfloor.geometry import Pose, Scan, TagSeen
from shopfloor.grid import Grid
from shopfloor.lasers import front_and_rear
from shopfloor.pilot import Command, Pilot, PilotStatus

SEED = 20
DriveKind = Literal["differential", "holonomic"]
# Both can do it; one of them shows it in every run.
DRIVES = ["differential", pytest.param("holonomic", marks=pytest.mark.soak)]


def hall(length_m: float, width_m: float) -> Grid:
    cells = np.zeros((round(width_m / 0.05), round(length_m / 0.05)), np.bool_)
    cells[:2], cells[-2:], cells[:, :2], cells[:, -2:] = True, True, True, True
    return Grid.of(cells, 0.05)


@dataclass
class Walker:
    """A person who walks through points, and stops before a robot's hull."""

    points: list[tuple[float, float]]
    speed_mps: float = 0.8
    polite_m: float = 0.7
    x_m: float = field(init=False)
    y_m: float = field(init=False)
    vx_mps: float = 0.0
    vy_mps: float = 0.0

    def __post_init__(self) -> None:
        self.x_m, self.y_m = self.points[0]
        self._left = list(self.points[1:])

    def walk(self, dt_s: float, robot: Pose) -> None:
        self.vx_mps = self.vy_mps = 0.0
        if not self._left:
            return
        dx, dy = self._left[0][0] - self.x_m, self._left[0][1] - self.y_m
        away = math.hypot(dx, dy)
        if away < self.speed_mps * dt_s:
            self._left.pop(0)
            return
        rx, ry = robot.x_m - self.x_m, robot.y_m - self.y_m
        if math.hypot(rx, ry) - 0.3 < self.polite_m and dx * rx + dy * ry > 0.0:
            return
        self.vx_mps = self.speed_mps * dx / away
        self.vy_mps = self.speed_mps * dy / away
        self.x_m += self.vx_mps * dt_s
        self.y_m += self.vy_mps * dt_s

    def tag(self, name: str) -> TagSeen:
        return TagSeen(name, self.x_m, self.y_m, 0.0, self.vx_mps, self.vy_mps)


@dataclass
class Drive:
    """What happened on the way to one goal."""

    commands: list[Command] = field(default_factory=list)
    poses: list[Pose] = field(default_factory=list)
    to_boxes_m: float = math.inf
    to_people_m: float = math.inf
    approached_to_m: float = math.inf
    """Nearest to a person while the robot's own motion led towards it."""
    walls_m: float = math.inf

    @property
    def last(self) -> Command:
        return self.commands[-1]

    def merged(self, other: Drive) -> None:
        self.to_boxes_m = min(self.to_boxes_m, other.to_boxes_m)
        self.to_people_m = min(self.to_people_m, other.to_people_m)
        self.approached_to_m = min(self.approached_to_m, other.approached_to_m)
        self.walls_m = min(self.walls_m, other.walls_m)


NO_BOXES = np.empty((0, 4))


class Track:
    """A floor, a pilot, boxes and walkers, stepped together."""

    def __init__(
        self,
        grid: Grid,
        pilot: Pilot,
        pose: Pose,
        boxes: NDArray[np.float64] = NO_BOXES,
        walkers: list[Walker] | None = None,
        beams: int = 181,
        tagged: bool = True,
        seen: bool = True,
    ) -> None:
        lasers = front_and_rear(ahead_m=0.25, beams=beams, range_max_m=15.0)
        self.floor = Floor(grid, pose, lasers, np.random.default_rng(SEED))
        self.pilot = pilot
        self.boxes = boxes
        self.walkers = walkers or []
        self.tagged = tagged
        self.seen = seen

    def scans(self) -> list[Scan]:
        discs = [[w.x_m, w.y_m, 0.2] for w in self.walkers] if self.seen else []
        found: list[Scan] = self.floor.scans(self.boxes, discs)
        return found

    def tags(self) -> list[TagSeen]:
        if not self.tagged:
            return []
        return [walker.tag(str(i)) for i, walker in enumerate(self.walkers)]

    def step(self, drive: Drive, dt_s: float = 0.05) -> Command:
        floor = self.floor
        for walker in self.walkers:
            walker.walk(dt_s, floor.pose)
        command = self.pilot.step(
            floor.now_s, floor.pose, None, self.scans(), self.tags()
        )
        drive.commands.append(command)
        drive.poses.append(floor.pose)
        before = floor.pose
        floor.move(command, dt_s)
        self._measure(drive, before)
        return command

    def _measure(self, drive: Drive, before: Pose) -> None:
        pose = self.floor.pose
        drive.walls_m = min(drive.walls_m, self.floor.clearance_m())
        if len(self.boxes):
            gap = to_segments(self.boxes, pose) - self.floor.radius_m
            drive.to_boxes_m = min(drive.to_boxes_m, gap)
        for walker in self.walkers:
            there = Pose(walker.x_m, walker.y_m)
            gap = pose.distance_to(there) - self.floor.radius_m
            drive.to_people_m = min(drive.to_people_m, gap)
            if pose.distance_to(there) < before.distance_to(there) - 1e-6:
                drive.approached_to_m = min(drive.approached_to_m, gap)

    def drive_to(
        self, x_m: float, y_m: float, yaw_rad: float, limit_s: float = 120.0
    ) -> Drive:
        drive = Drive()
        assert self.pilot.set_goal(x_m, y_m, yaw_rad) is None
        ends = self.floor.now_s + limit_s
        while self.floor.now_s < ends:
            command = self.step(drive)
            if command.status in (PilotStatus.ARRIVED, PilotStatus.FAILED):
                break
        return drive


def to_segments(segments: NDArray[np.float64], pose: Pose) -> float:
    ax, ay, bx, by = segments.T
    ex, ey = bx - ax, by - ay
    share = ((pose.x_m - ax) * ex + (pose.y_m - ay) * ey) / (ex * ex + ey * ey)
    share = np.clip(share, 0.0, 1.0)
    return float(np.hypot(ax + share * ex - pose.x_m, ay + share * ey - pose.y_m).min())
