"""From a path to the velocities that follow it, in two ways of moving.

``straight`` suits every drive: straight on, straight on with a slow rotation, or a
rotation in place, depending on where the next point is. ``holonomic`` moves in any
direction with a free heading and turns to the wanted one near the goal only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.errors import ControlRefused, PathRefused
from shopfloor.control.limits import RobotLimits, speed_to_stop_within
from shopfloor.control.path_kernels import look_along
from shopfloor.geometry import Pose, wrapped

Mode = Literal["straight", "holonomic"]
MODES: tuple[Mode, ...] = ("straight", "holonomic")


class Movement(StrEnum):
    STRAIGHT = "straight"
    STRAIGHT_TURNING = "straight_turning"
    TURNING = "turning"
    HOLONOMIC = "holonomic"
    ARRIVED = "arrived"


@dataclass(frozen=True, slots=True)
class Wish:
    """A velocity in the robot's frame before limits of change are applied."""

    movement: Movement
    vx_mps: float = 0.0
    vy_mps: float = 0.0
    wz_radps: float = 0.0
    progress_m: float = 0.0
    remaining_m: float = 0.0
    aside_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Tracking:
    """How closely a path is followed."""

    position_tolerance_m: float = 0.05
    heading_tolerance_rad: float = 0.05
    aligned_rad: float = 0.06
    """Points nearer to straight ahead are driven to without turning."""
    turn_in_place_rad: float = 0.6
    heading_distance_m: float = 1.5
    """A holonomic robot turns to the wanted heading within this distance."""
    creep_mps: float = 0.06


class PathTracker:
    def __init__(
        self,
        limits: RobotLimits,
        mode: Mode = "straight",
        tracking: Tracking | None = None,
    ) -> None:
        if mode not in MODES:
            raise ControlRefused(f"there is no way of moving called {mode!r}")
        if mode == "holonomic" and limits.drive != "holonomic":
            raise ControlRefused("a differential robot cannot move sideways")
        self.limits = limits
        self.mode: Mode = mode
        self.tracking = tracking or Tracking()
        self._in_place = False
        self._there = False

    def reset(self) -> None:
        self._in_place = False
        self._there = False

    def step(
        self,
        pose: Pose,
        path: NDArray[np.float64],
        goal_yaw_rad: float | None,
        speed_mps: float,
        most_mps: float,
        sees: Callable[[float, float], bool] | None = None,
        progress_m: float | None = None,
        ends_at_goal: bool = True,
    ) -> Wish:
        """The velocity wanted now; ``sees`` says which points can be steered for.

        ``progress_m`` is how far along the path the robot was, where that is known.
        """
        if path.ndim != 2 or path.shape[1] != 2 or len(path) == 0:
            raise PathRefused(f"a path is rows of x and y, not {path.shape}")
        least, most = 0.0, math.inf
        if progress_m is not None:
            least, most = max(progress_m - 0.5, 0.0), progress_m + 3.0
        lookahead = 0.25 + 0.4 * speed_mps
        while True:
            seen = look_along(path, pose.x_m, pose.y_m, least, most, lookahead)
            if sees is None or lookahead < 0.06 or sees(seen[3], seen[4]):
                break
            lookahead *= 0.5
        progress, remaining, aside, x, y, bend_m, bend_rad = seen
        end = math.hypot(path[-1, 0] - pose.x_m, path[-1, 1] - pose.y_m)
        # Once there, a jumping pose estimate does not start the approach again.
        near = (2.5 if self._there else 1.0) * self.tracking.position_tolerance_m
        self._there = ends_at_goal and end <= near
        if self._there:
            return self._turned(pose, goal_yaw_rad, progress)
        left = max(remaining, end)
        allowed = min(most_mps, self.limits.speed_mps)
        comfort = 0.7 * self.limits.accel_mps2
        allowed = min(allowed, speed_to_stop_within(left, comfort), 1.5 * left)
        if bend_rad > 0.0:
            at_bend = self._speed_in_bend(bend_rad)
            allowed = min(allowed, math.sqrt(at_bend**2 + 2.0 * comfort * bend_m))
        if most_mps > 0.0:
            allowed = max(allowed, min(self.tracking.creep_mps, most_mps))
        bearing = math.atan2(y - pose.y_m, x - pose.x_m)
        error = wrapped(bearing - pose.yaw_rad)
        if self.mode == "holonomic":
            near = ends_at_goal and left <= self.tracking.heading_distance_m
            turn = 0.0
            if near and goal_yaw_rad is not None:
                turn = self._turn_rate(wrapped(goal_yaw_rad - pose.yaw_rad), 1.0)
                # Turned faster, the motors could not keep the body on its line.
                most = 0.5 * self.limits.accel_mps2 / max(speed_mps, 0.05)
                turn = min(max(turn, -most), most)
            return Wish(
                Movement.HOLONOMIC,
                allowed * math.cos(error),
                allowed * math.sin(error),
                turn,
                progress,
                left,
                aside,
            )
        movement, forward, turn = self._straight(error, allowed)
        return Wish(movement, forward, 0.0, turn, progress, left, aside)

    def _speed_in_bend(self, bend_rad: float) -> float:
        if self.mode == "holonomic":
            return max(0.2, self.limits.speed_mps * (1.0 - bend_rad / 1.6))
        if bend_rad >= self.tracking.turn_in_place_rad:
            return 0.1
        return max(
            0.15,
            self.limits.speed_mps * (1.0 - bend_rad / self.tracking.turn_in_place_rad),
        )

    def _straight(self, error: float, allowed: float) -> tuple[Movement, float, float]:
        size = abs(error)
        until = 0.25 if self._in_place else 1.0
        self._in_place = size > until * self.tracking.turn_in_place_rad
        if self._in_place:
            return Movement.TURNING, 0.0, self._turn_rate(error, 1.0)
        if size <= self.tracking.aligned_rad:
            return Movement.STRAIGHT, allowed, 0.0
        slower = 1.0 - 0.8 * size / self.tracking.turn_in_place_rad
        rate = self._turn_rate(error, 0.5)
        return Movement.STRAIGHT_TURNING, allowed * max(slower, 0.2), rate

    def _turned(self, pose: Pose, goal_yaw_rad: float | None, progress: float) -> Wish:
        if goal_yaw_rad is None:
            return Wish(Movement.ARRIVED, progress_m=progress)
        error = wrapped(goal_yaw_rad - pose.yaw_rad)
        if abs(error) <= self.tracking.heading_tolerance_rad:
            return Wish(Movement.ARRIVED, progress_m=progress)
        rate = self._turn_rate(error, 1.0)
        return Wish(Movement.TURNING, 0.0, 0.0, rate, progress)

    def _turn_rate(self, error: float, share: float) -> float:
        """Fast while far off, slow enough to stop when aligned."""
        most = share * self.limits.turn_radps
        to_stop = math.sqrt(1.2 * self.limits.turn_accel_radps2 * abs(error))
        return math.copysign(min(most, to_stop, 2.5 * abs(error) + 0.01), error)
