"""The pilot's global plans: with room where there is room, tighter beside racks.

What blocked the way lately is remembered for a while and planned around.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.commands import Cause
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.planning import Path, Status, plan

COMFORT_M = 0.20
TIGHT_M = 0.06
NOTHING = np.empty((0, 2))
LEAVE_M = 1.0
"""How far away a start that stands too near to something may find free room."""


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    xy: NDArray[np.float64]
    tight: bool
    """Planned with the least room to mapped obstacles."""


class RoutePlanner:
    def __init__(
        self,
        grid: Grid,
        radius_m: float,
        unknown_margin_m: float = 0.24,
        remember_s: float = 60.0,
        method: str = "auto",
    ) -> None:
        self.grid = grid
        self.method = method
        self.used: set[str] = set()
        """Methods that found a way so far."""
        self._unknown_m = radius_m + unknown_margin_m
        self._remember_s = remember_s
        self.wide = inflated_once(grid, radius_m + COMFORT_M)
        self.tight = inflated_once(grid, radius_m + TIGHT_M)
        self._things = np.empty((0, 3))
        """Rows x, y, when; of cells that blocked the way."""

    def goal_fault(self, x_m: float, y_m: float) -> Cause | None:
        if not (math.isfinite(x_m) and math.isfinite(y_m)):
            return Cause.GOAL_NOT_FINITE
        if not self.grid.holds(*self.grid.to_cells(x_m, y_m)):
            return Cause.GOAL_OUTSIDE_MAP
        if not self.tight.is_free(x_m, y_m):
            return Cause.GOAL_IN_WALL
        return None

    def remember(self, points: NDArray[np.float64], now_s: float) -> None:
        """Cells that blocked the way, rows x, y."""
        new = np.column_stack([points, np.full(len(points), now_s)])
        young = self._things[self._things[:, 2] > now_s - self._remember_s]
        self._things = np.vstack([young, new])

    def forget(self) -> None:
        self._things = np.empty((0, 3))

    def find(
        self,
        pose: Pose,
        goal: Pose,
        now_s: float,
        more: NDArray[np.float64] = NOTHING,
    ) -> Route | Cause:
        """Around remembered things and more, or the cause why there is no way."""
        young = self._things[self._things[:, 2] > now_s - self._remember_s]
        young = np.vstack([young, np.column_stack([more, np.full(len(more), now_s)])])
        for static, tight in ((self.wide, False), (self.tight, True)):
            grid, method = static, self.method
            if len(young):
                grid, method = self._with_things(static, young), "lazy_theta"
            if not grid.is_free(goal.x_m, goal.y_m):
                continue
            found = self._from_near(grid, pose, goal, method)
            if found is not None:
                return Route(found, tight)
        return Cause.NO_WAY_AROUND if len(young) else Cause.UNREACHABLE

    def _from_near(
        self, grid: Grid, pose: Pose, goal: Pose, method: str
    ) -> NDArray[np.float64] | None:
        start = grid.nearest_free(pose.x_m, pose.y_m, LEAVE_M)
        if start is None:
            return None
        path: Path = plan(grid, start, (goal.x_m, goal.y_m), method)
        if path.status is not Status.OK:
            return None
        self.used.add(path.method)
        if start == (pose.x_m, pose.y_m):
            return path.xy
        return np.vstack([[pose.x_m, pose.y_m], path.xy])

    def _with_things(self, static: Grid, things: NDArray[np.float64]) -> Grid:
        cells = np.zeros((self.grid.height, self.grid.width), np.bool_)
        for x_m, y_m, _ in things:
            x, y = self.grid.to_cells(x_m, y_m)
            if self.grid.holds(x, y):
                cells[int(y) - 1, int(x) - 1] = True
        grown = Grid.of(cells, self.grid.resolution_m, self.grid.origin)
        grown = grown.inflated(self._unknown_m)
        return Grid.of(
            (grown.cells | static.cells) != 0, self.grid.resolution_m, self.grid.origin
        )


def inflated_once(grid: Grid, margin_m: float) -> Grid:
    """Shared by every robot of one size on the same map."""
    key = f"inflated_{margin_m:.6f}"
    found: Grid | None = grid.prepared.get(key)
    if found is None:
        found = grid.inflated(margin_m)
        grid.prepared[key] = found
    return found
