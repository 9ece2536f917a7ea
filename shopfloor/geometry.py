"""What the parts of a robot hand each other: poses, scans, odometry, seen tags.

Plain values in metres and radians, so that lasers, localisation, planners and control
agree on meanings without knowing each other. Angles grow anticlockwise from +x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


def wrapped(angle_rad: float) -> float:
    """The same direction between -pi and pi."""
    return math.remainder(angle_rad, math.tau)


@dataclass(frozen=True, slots=True)
class Pose:
    """A place and a heading in some frame, or a step from one frame to another."""

    x_m: float
    y_m: float
    yaw_rad: float = 0.0

    def plus(self, step: Pose) -> Pose:
        """Where one stands after a step that is given in this pose's own frame."""
        cos, sin = math.cos(self.yaw_rad), math.sin(self.yaw_rad)
        return Pose(
            self.x_m + cos * step.x_m - sin * step.y_m,
            self.y_m + sin * step.x_m + cos * step.y_m,
            wrapped(self.yaw_rad + step.yaw_rad),
        )

    def seen_from(self, base: Pose) -> Pose:
        """The step that leads from the base to here: ``base.plus(step) == self``."""
        cos, sin = math.cos(base.yaw_rad), math.sin(base.yaw_rad)
        dx, dy = self.x_m - base.x_m, self.y_m - base.y_m
        return Pose(
            cos * dx + sin * dy,
            cos * dy - sin * dx,
            wrapped(self.yaw_rad - base.yaw_rad),
        )

    def distance_to(self, other: Pose) -> float:
        return math.hypot(other.x_m - self.x_m, other.y_m - self.y_m)

    def bearing_to(self, other: Pose) -> float:
        """Direction to the other place in the common frame."""
        return math.atan2(other.y_m - self.y_m, other.x_m - self.x_m)

    @property
    def is_finite(self) -> bool:
        finite = math.isfinite
        return finite(self.x_m) and finite(self.y_m) and finite(self.yaw_rad)


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """One turn of a laser; infinite where nothing was seen."""

    ranges_m: NDArray[np.float64]
    angle_min_rad: float
    angle_step_rad: float
    range_max_m: float
    mount: Pose = field(default=Pose(0.0, 0.0, 0.0))
    """Where the laser sits on the robot; angles count from the mount's heading."""
    laser: str = ""
    """The name of the laser, as people say it."""
    taken_at_s: float | None = None
    """By the clock that the pilot is told; None where the laser has no clock."""

    @property
    def angles_rad(self) -> NDArray[np.float64]:
        """Of each beam, from the laser's own heading."""
        steps = np.arange(len(self.ranges_m), dtype=np.float64)
        return np.asarray(self.angle_min_rad + self.angle_step_rad * steps)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Which beams saw something."""
        return np.asarray(self.ranges_m <= self.range_max_m)

    def points_m(self) -> NDArray[np.float64]:
        """What was seen, one row (x, y) per hit, in the frame of the robot."""
        hits = self.hits
        ranges = self.ranges_m[hits]
        angles = self.angles_rad[hits] + self.mount.yaw_rad
        points = np.empty((len(ranges), 2))
        points[:, 0] = self.mount.x_m + ranges * np.cos(angles)
        points[:, 1] = self.mount.y_m + ranges * np.sin(angles)
        return points


@dataclass(frozen=True, slots=True)
class Odometry:
    """Where the wheels say the robot is, in a frame of their own that drifts."""

    pose: Pose
    vx_mps: float = 0.0
    vy_mps: float = 0.0
    wz_radps: float = 0.0
    """Speeds in the frame of the robot: forwards, to the left, anticlockwise."""


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A person's tag as the tracker knows it, in the map frame."""

    tag: str
    x_m: float
    y_m: float
    sigma_m: float
    vx_mps: float = 0.0
    vy_mps: float = 0.0
