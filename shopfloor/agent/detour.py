"""Around an obstacle and back to the path, by D* Lite.

Waypoints may be left out, sub-goals never: the detour ends on the path before the next
of them, or at it. When more of the obstacle comes into view while the robot drives
around it, the search is repaired and not begun anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shopfloor.agent.waypoints import Waypoint, samples
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.planning.d_star_lite import DStarLite

SPARE_M = 0.1


class Detour:
    """The map of one agent with all obstacles that it has seen."""

    def __init__(self, grid: Grid, radius_m: float) -> None:
        self._grid = grid.inflated(radius_m + SPARE_M)
        self._blocked = self._grid.cells != 0
        self._reach_m = radius_m + SPARE_M
        self._planner: DStarLite | None = None
        self._end: tuple[float, float] | None = None

    def add(self, obstacle: NDArray[np.float64]) -> int:
        """Note an obstacle, as wide as the robot needs; how many cells are new."""
        new: set[tuple[int, int]] = set()
        reach = math.ceil(self._reach_m / self._grid.resolution_m)
        limit = (self._reach_m / self._grid.resolution_m) ** 2
        for x_m, y_m in obstacle:
            x, y = self._grid.to_cells(float(x_m), float(y_m))
            column, row = int(x) - 1, int(y) - 1
            for dy in range(-reach, reach + 1):
                for dx in range(-reach, reach + 1):
                    cell = column + dx, row + dy
                    inside = 0 <= cell[0] < self._grid.width
                    inside = inside and 0 <= cell[1] < self._grid.height
                    near = dx * dx + dy * dy <= limit
                    if inside and near and not self._blocked[cell[1], cell[0]]:
                        new.add(cell)
        for column, row in new:
            self._blocked[row, column] = True
        if self._planner is not None:
            self._planner.mark(new)
        return len(new)

    def is_free(self, x_m: float, y_m: float) -> bool:
        x, y = self._grid.to_cells(x_m, y_m)
        return self._grid.holds(x, y) and not self._blocked[int(y) - 1, int(x) - 1]

    def is_clear(self, pose: Pose, path: Sequence[Waypoint]) -> bool:
        """Can the robot go on along its path, up to the next sub-goal?"""
        return all(self.is_free(x, y) for x, y, _ in samples(pose, path)[3:])

    def plan(self, pose: Pose, path: Sequence[Waypoint]) -> list[Waypoint] | None:
        """The path with the detour in it; None: the next sub-goal cannot be reached."""
        ahead = samples(pose, path)
        blocked = [n for n, (x, y, _) in enumerate(ahead) if not self.is_free(x, y)]
        if not blocked:
            return list(path)
        behind = blocked[-1] + 1
        if behind == len(ahead):
            return None  # the sub-goal itself
        x, y, waypoint = ahead[behind]
        found = self._search(pose, (x, y))
        if found is None:
            return None
        return [*found, Waypoint(x, y), *path[waypoint:]]

    def _search(self, pose: Pose, end: tuple[float, float]) -> list[Waypoint] | None:
        if self._planner is None or self._end != end:
            self._planner, self._end = DStarLite(self._grid, end), end
            rows, columns = np.nonzero(self._blocked)
            self._planner.mark(zip(columns.tolist(), rows.tolist(), strict=True))
        start = self._nearest_free(pose)
        if start is None:
            return None
        found = self._planner.plan(start)
        if not found.ok:
            return None
        return [Waypoint(float(x), float(y)) for x, y in found.xy[1:-1]]

    def _nearest_free(self, pose: Pose) -> tuple[float, float] | None:
        """A robot that has come near to an obstacle stands in its wide margin."""
        now = Grid.of(self._blocked, self._grid.resolution_m, self._grid.origin)
        return now.nearest_free(pose.x_m, pose.y_m, 2.0 * self._reach_m)
