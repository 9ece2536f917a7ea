"""Getting out of the line of somebody who comes straight at the robot, in good time.

Around people who stand or cross the local planner finds a way. Who comes towards the
robot is met while it still thinks: the room taken grows with both speeds, and a robot
that slows down stands in the middle of the corridor and is walked into. So its way is
moved aside while they are still some seconds apart, to the right if there is room.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.path_kernels import look_along
from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.local.people import WALKING_MPS, Courtesy
from shopfloor.local.routes import inflated_once

AHEAD_M = 12.0
WITHIN_S = 6.0
"""Until they would meet; before that the other one may yet turn off."""
STRAIGHT = 0.9
"""Share of the other one's speed that is along the robot's way."""
LEAST_APART_M = 0.3
ASIDE_M = 3.0
SLOW_MPS = 0.2
CHANGED_M = 0.25
"""By less than that a way once moved aside is not moved again."""
EVERY_M = 0.25
AT_ONCE_M = 0.8
"""After so much of the way the robot is aside, if it need not turn hard for it."""
STEEPEST = 0.6
BEYOND_M = 1.0
"""And stays aside for so long behind the place where they meet."""
SPARE_M = 0.1
WALLS_M = 0.16
"""Kept from walls and racks: as much as local paths keep."""
RIGHT, LEFT = -1.0, 1.0
CHOICES = (
    (RIGHT, 0.0),
    (RIGHT, 0.15),
    (LEFT, 0.0),
    (LEFT, 0.15),
    (RIGHT, 0.35),
    (LEFT, 0.35),
    (RIGHT, 0.55),
    (LEFT, 0.55),
)
"""Sides, with so much less room than people are kept from."""


class KeepingRight:
    def __init__(self, grid: Grid, radius_m: float, courtesy: Courtesy) -> None:
        self._floor = inflated_once(grid, radius_m + WALLS_M)
        self._keep_m = radius_m + courtesy.distance_m
        self._base: NDArray[np.float64] | None = None
        """The way as it was before it was moved aside,"""
        self._base_m = 0.0
        """and how far along it the robot is."""
        self._moved: NDArray[np.float64] | None = None
        self._for = ""
        self._to_m = 0.0

    def is_aside(self, path: NDArray[np.float64]) -> bool:
        """Is this a way that was moved aside."""
        return path is self._moved

    def way(
        self,
        pose: Pose,
        people: Sequence[TagSeen],
        path: NDArray[np.float64],
        progress_m: float,
        speed_mps: float,
    ) -> NDArray[np.float64] | None:
        """The rest of a way, moved aside for who comes; None: as it is."""
        if path is not self._moved:
            self._base, self._base_m, self._moved = path, progress_m, None
        base = self._base
        if base is None or not people:
            return None
        least, most = max(self._base_m - 0.5, 0.0), self._base_m + 3.0
        self._base_m, left_m, aside_m, *_ = look_along(
            base, pose.x_m, pose.y_m, least, most, 0.0
        )
        for person in people:
            met = self._meeting(person, base, max(speed_mps, SLOW_MPS))
            if met is None:
                continue
            meets_m, passes_m = met
            room_m = self._keep_m + person.sigma_m + SPARE_M
            if abs(aside_m - passes_m) >= room_m:
                continue
            known = self._moved is not None and self._for == person.tag
            until_m = min(meets_m + BEYOND_M, self._base_m + left_m)
            found = self._beside(pose, aside_m, until_m, passes_m, room_m, known)
            if found is not None:
                self._moved, self._to_m = found
                self._for = person.tag
                return self._moved
        return None

    def _meeting(
        self, person: TagSeen, path: NDArray[np.float64], speed_mps: float
    ) -> tuple[float, float] | None:
        """How far along the way somebody who comes is met, and how far left of it."""
        walks_mps = math.hypot(person.vx_mps, person.vy_mps)
        if walks_mps <= WALKING_MPS:
            return None
        at_m, _, left_m, *_ = look_along(
            path,
            person.x_m,
            person.y_m,
            self._base_m,
            self._base_m + AHEAD_M,
            0.0,
        )
        apart_m = at_m - self._base_m
        foot, ux, uy = _point(path, at_m)
        if foot is None or apart_m < LEAST_APART_M or abs(left_m) > ASIDE_M:
            return None
        towards_mps = -(person.vx_mps * ux + person.vy_mps * uy)
        meets_s = apart_m / (walks_mps + speed_mps)
        if towards_mps < STRAIGHT * walks_mps or meets_s > WITHIN_S:
            return None
        return self._base_m + speed_mps * meets_s, left_m

    def _beside(
        self,
        pose: Pose,
        aside_m: float,
        until_m: float,
        passes_m: float,
        room_m: float,
        known: bool,
    ) -> tuple[NDArray[np.float64], float] | None:
        """The first of the choices that there is room for.

        Who was given way to once is not dithered before.
        """
        for side, less_m in CHOICES:
            to_m = passes_m + side * (room_m - less_m)
            if known:
                if abs(to_m - self._to_m) < CHANGED_M:
                    return None
                if side * (self._to_m - passes_m) < 0.0:
                    continue
            found = self._shifted(pose, aside_m, until_m, to_m)
            if found is not None:
                return found, to_m
        return None

    def _shifted(
        self, pose: Pose, aside_m: float, until_m: float, to_m: float
    ) -> NDArray[np.float64] | None:
        path, here_m = self._base, self._base_m
        if path is None:
            return None
        reach_m = max(AT_ONCE_M, abs(to_m - aside_m) / STEEPEST)
        points = [(pose.x_m, pose.y_m)]
        for at_m in np.arange(here_m + EVERY_M, until_m + reach_m, EVERY_M):
            foot, ux, uy = _point(path, float(at_m))
            if foot is None:
                break
            share = min((at_m - here_m) / reach_m, 1.0)
            offset_m = aside_m + share * (to_m - aside_m)
            if at_m > until_m:
                offset_m *= 1.0 - (at_m - until_m) / reach_m
            x_m, y_m = foot[0] - uy * offset_m, foot[1] + ux * offset_m
            if not self._floor.is_free(x_m, y_m):
                return None
            points.append((x_m, y_m))
        ends = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
        rest = path[ends > until_m + reach_m]
        if len(rest) == 0:
            rest = path[-1:]
        return np.vstack([points, rest])


def _point(
    path: NDArray[np.float64], at_m: float
) -> tuple[NDArray[np.float64] | None, float, float]:
    """The place so far along a way, and its direction there; None: behind its end."""
    for a, b in pairwise(path):
        length = float(np.hypot(*(b - a)))
        if length > 0.0 and at_m <= length:
            ux, uy = (b - a) / length
            return a + np.array([ux, uy]) * at_m, float(ux), float(uy)
        at_m -= length
    return None, 0.0, 0.0
