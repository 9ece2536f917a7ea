"""What a local planner is told and what it answers, the same for all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.geometry import Pose
from shopfloor.vehicles.errors import SceneWrong
from shopfloor.vehicles.outline import gap_to

SPACING_M = 0.1
"""Between the points of a way."""
POINT_M = 0.03
"""Half the size of what one ray of a laser has met."""


@dataclass(frozen=True, slots=True)
class DrivingState:
    pose: Pose
    speed_mps: float = 0.0
    steering_rad: float = 0.0

    def checked(self) -> DrivingState:
        """SceneWrong: whoever drives stands still."""
        moving = math.isfinite(self.speed_mps) and math.isfinite(self.steering_rad)
        if not (self.pose.is_finite and moving):
            raise SceneWrong(f"{self} is no state of a vehicle")
        return self


@dataclass(frozen=True, slots=True)
class Command:
    speed_mps: float
    steering_rad: float


@dataclass(frozen=True, eq=False)
class Obstacles:
    """Walls as rows x1, y1, x2, y2; round things as rows x, y, radius, vx, vy."""

    walls: NDArray[np.float64]
    discs: NDArray[np.float64]

    @staticmethod
    def of(
        walls: NDArray[np.float64] | None = None,
        discs: NDArray[np.float64] | None = None,
        points: NDArray[np.float64] | None = None,
    ) -> Obstacles:
        """Round things may lack their velocity; points (rows x, y) are what lasers
        have met. SceneWrong: something is no number."""
        lines = np.empty((0, 4)) if walls is None else np.asarray(walls, np.float64)
        found = []
        for given, columns in ((discs, 3), (points, 2)):
            if given is None or len(given) == 0:
                continue
            rows = np.zeros((len(given), 5))
            rows[:, 2] = POINT_M
            rows[:, : max(columns, given.shape[1])] = given
            found.append(rows)
        round_things = np.vstack(found) if found else np.empty((0, 5))
        for name, rows in (("wall", lines), ("obstacle", round_things)):
            wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
            if wrong.size:
                raise SceneWrong(f"{name} {wrong[0] + 1} of {len(rows)} is no number")
        if (round_things[:, 2] < 0.0).any():
            raise SceneWrong("an obstacle has a radius below 0 m")
        return Obstacles(np.ascontiguousarray(lines), round_things)

    def near(self, pose: Pose, reach_m: float) -> Obstacles:
        """Only those that matter within that distance."""
        x, y, walls, discs = pose.x_m, pose.y_m, self.walls, self.discs
        kept = (
            (np.minimum(walls[:, 0], walls[:, 2]) < x + reach_m)
            & (np.maximum(walls[:, 0], walls[:, 2]) > x - reach_m)
            & (np.minimum(walls[:, 1], walls[:, 3]) < y + reach_m)
            & (np.maximum(walls[:, 1], walls[:, 3]) > y - reach_m)
        )
        close = np.hypot(discs[:, 0] - x, discs[:, 1] - y) < reach_m
        return Obstacles(
            np.ascontiguousarray(walls[kept]), np.ascontiguousarray(discs[close])
        )


@dataclass(frozen=True, eq=False)
class Way:
    """Poses of the rear axle: rows x, y, yaw, direction (1 forward, -1 reverse)."""

    poses: NDArray[np.float64]

    def __post_init__(self) -> None:
        poses = self.poses
        if poses.ndim != 2 or poses.shape[1:] != (4,) or len(poses) < 2:
            raise SceneWrong("a way has two poses at least, each x, y, yaw, direction")
        if not np.isfinite(poses).all():
            raise SceneWrong("a pose of the way is no number")

    @staticmethod
    def along(points: NDArray[np.float64]) -> Way:
        """Forward over points (rows x, y) of a planner that knows no heading."""
        points = np.asarray(points, np.float64)
        if len(points) < 2 or not np.isfinite(points).all():
            raise SceneWrong("a way has two points at least, all of them numbers")
        steps = np.hypot(*np.diff(points, axis=0).T)
        far = np.concatenate([[0.0], np.cumsum(steps)])
        count = max(2, math.ceil(far[-1] / SPACING_M) + 1)
        at = np.linspace(0.0, far[-1], count)
        poses = np.ones((count, 4))
        poses[:, 0] = np.interp(at, far, points[:, 0])
        poses[:, 1] = np.interp(at, far, points[:, 1])
        ahead = np.minimum(np.arange(count) + 1, count - 1)
        behind = np.maximum(ahead - 2, 0)
        d = poses[ahead, :2] - poses[behind, :2]
        poses[:, 2] = np.arctan2(d[:, 1], d[:, 0])
        return Way(poses)

    @cached_property
    def far_m(self) -> NDArray[np.float64]:
        """Of each pose from the start, along the way."""
        steps = np.hypot(*np.diff(self.poses[:, :2], axis=0).T)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def length_m(self) -> float:
        return float(self.far_m[-1])

    @property
    def goal(self) -> Pose:
        return Pose(*(float(v) for v in self.poses[-1, :3]))

    @cached_property
    def turns(self) -> list[int]:
        """Where each leg ends: the direction changes there, or the way ends."""
        changes = np.flatnonzero(np.diff(self.poses[:, 3]))
        return [*(int(at) for at in changes), len(self.poses) - 1]


@kernel
def gap_then(
    x: float,
    y: float,
    yaw: float,
    after_s: float,
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    most: float,
) -> float:
    """Metres to the nearest, when round things have gone on for that long."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    least = most
    for d in range(discs.shape[0]):
        dx = discs[d, 0] + after_s * discs[d, 3] - x
        dy = discs[d, 1] + after_s * discs[d, 4] - y
        ahead, aside = cos * dx + sin * dy, cos * dy - sin * dx
        out = max(outline[0] - ahead, 0.0, ahead - outline[1])
        off = max(abs(aside) - outline[2], 0.0)
        if out < least + discs[d, 2] and off < least + discs[d, 2]:
            gap = math.sqrt(out * out + off * off) - discs[d, 2]
            least = min(least, max(gap, 0.0))
    return gap_to(x, y, yaw, outline, walls, discs[:0], least)


@kernel
def on_leg(
    x: float, y: float, leg: NDArray[np.float64], first: int, last: int
) -> tuple[int, float]:
    """The nearest pose of a leg, and how far away it is."""
    best, least = first, math.inf
    for i in range(first, last + 1):
        dx, dy = leg[i, 0] - x, leg[i, 1] - y
        away = dx * dx + dy * dy
        if away < least:
            best, least = i, away
    return best, math.sqrt(least)


@kernel
def turned(angle: float) -> float:
    """The same direction between -pi and pi."""
    return angle - math.tau * math.floor((angle + math.pi) / math.tau)
