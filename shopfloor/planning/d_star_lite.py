"""D* Lite: replanning that reuses the last search when cells change.

It pays on large maps with small changes near the robot; on halls of ordinary size a
fresh search is faster. Grids never change, so this planner keeps a map of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shopfloor.grid.occupancy import Grid
from shopfloor.planning import d_star_kernels as kernels
from shopfloor.planning.chains import points_along, without_waypoints_in_line
from shopfloor.planning.paths import Path, Status
from shopfloor.planning.places import place

METHOD = "d_star_lite"


class DStarLite:
    """One goal, one moving robot, one changing map. Not for two threads at once."""

    def __init__(self, grid: Grid, goal: tuple[float, float]) -> None:
        self._grid = grid
        self._blocked = grid.blocked.copy()
        self._goal = place(grid, goal, "goal")
        size = grid.blocked.size
        self._cost = np.full(size, kernels.INFINITE, np.int64)
        self._ahead = np.full(size, kernels.INFINITE, np.int64)
        self._key = np.full((size, 2), -1, np.int64)
        self._heap = np.empty((1024, 3), np.int64)
        self._size = 0
        self._offset = 0
        self._last = -1

    def plan(self, start: tuple[float, float]) -> Path:
        """The way from where the robot is now, on the map as it is now."""
        goal = self._goal
        if isinstance(goal, Status) and goal is not Status.GOAL_BLOCKED:
            return Path(goal, METHOD)
        here = place(self._grid, start, "start", self._blocked)
        if isinstance(here, Status):
            return Path(here, METHOD)
        if isinstance(goal, Status) or self._blocked[goal.cell]:
            return Path(Status.GOAL_BLOCKED, METHOD)
        stride = self._grid.stride
        if self._last < 0:
            self._ahead[goal.cell] = 0
            self._last = here.cell
            self._queue(goal.cell)
        self._offset += kernels.octile(self._last, here.cell, stride)
        self._last = here.cell
        self._heap, self._size, expansions = kernels.repair(
            self._blocked,
            stride,
            self._cost,
            self._ahead,
            self._key,
            self._heap,
            self._size,
            here.cell,
            goal.cell,
            self._offset,
        )
        cells = kernels.walk(self._blocked, stride, self._cost, here.cell, goal.cell)
        if cells.size == 0 or self._ahead[here.cell] >= kernels.INFINITE:
            return Path(Status.UNREACHABLE, METHOD, expansions=expansions)
        changed = Grid.of(
            self._blocked.reshape(-1, stride)[1:-1, 1:-1],
            self._grid.resolution_m,
            self._grid.origin,
        )
        points, length = points_along(
            changed.run_x,
            changed.run_y,
            stride,
            without_waypoints_in_line(cells, stride),
            here.x,
            here.y,
            goal.x,
            goal.y,
        )
        return Path(
            Status.OK,
            METHOD,
            self._grid.to_metres(points),
            length * self._grid.resolution_m,
            expansions,
        )

    def mark(
        self, blocked: Iterable[tuple[int, int]], free: Iterable[tuple[int, int]] = ()
    ) -> int:
        """Tell of cells (column, row) that changed; returns how many really did."""
        changed = []
        for state, cells in ((1, blocked), (0, free)):
            for column, row in cells:
                inside = 0 <= column < self._grid.width and (
                    0 <= row < self._grid.height
                )
                if not inside:
                    raise ValueError(f"the map has no cell ({column}, {row})")
                cell = (row + 1) * self._grid.stride + column + 1
                if self._blocked[cell] != state:
                    self._blocked[cell] = state
                    changed.append(cell)
        if changed and self._last >= 0 and not isinstance(self._goal, Status):
            self._heap, self._size = kernels.renew(
                self._blocked,
                self._grid.stride,
                self._cost,
                self._ahead,
                self._key,
                self._heap,
                self._size,
                self._last,
                self._goal.cell,
                self._offset,
                np.array(changed, np.int64),
            )
        return len(changed)

    def _queue(self, cell: int) -> None:
        self._heap, self._size = kernels.queue(
            self._heap,
            self._size,
            self._cost,
            self._ahead,
            self._key,
            cell,
            self._last,
            self._grid.stride,
            self._offset,
        )
