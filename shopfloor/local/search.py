"""One search of the local map: Lazy Theta* over the blocked cells of one cycle."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.kernels import pad, parts, runs
from shopfloor.grid.sight import sees
from shopfloor.local import window_kernels
from shopfloor.local.window import LocalWindow
from shopfloor.planning.chains import chain, points_along
from shopfloor.planning.goal_field import NO_COSTS
from shopfloor.planning.lazy_theta_kernel import NOWHERE, lazy_theta
from shopfloor.planning.strings import pulled
from shopfloor.planning.workspace import workspace

SIGHT_WITH_COSTS_M = 1.0
COST_WEIGHT = 1.0
HURRY_WITH_COSTS = 1.4
"""Costs make straight-line estimates poor; without hurry the whole window is searched.
"""


class WindowSearch:
    """Points are metres in the frame of the grid's cells."""

    def __init__(self, window: LocalWindow, blocked: NDArray[np.uint8]) -> None:
        self.blocked = blocked
        self._left, self._low = window.left, window.low
        self._resolution_m = window.resolution_m
        self._cells = window.cells
        self._stride = window.cells + 2
        run_x, run_y = runs(pad(blocked), self._stride)
        # Read-only as those of the global map: one compiled search serves both.
        run_x.flags.writeable = run_y.flags.writeable = False
        self._run_x, self._run_y = run_x, run_y
        self._part: NDArray[np.int32] | None = None

    def sees(self, x: float, y: float, to_x: float, to_y: float) -> bool:
        """Is the straight line free; outside the window nobody knows better."""
        x, y = self._cell(x, y)
        to_x, to_y = self._cell(to_x, to_y)
        inside = self._cells + 1.0
        if not (min(x, y, to_x, to_y) >= 1.0 and max(x, y, to_x, to_y) < inside):
            return True
        return sees(self._run_x, self._run_y, self._stride, x, y, to_x, to_y)

    def nearest_free(
        self, x: float, y: float, reach_m: float
    ) -> tuple[float, float] | None:
        """The point itself, or the middle of the free cell nearest to it."""
        cx, cy = self._cell(x, y)
        column, row = int(cx) - 1, int(cy) - 1
        size = self._cells
        inside = 0 <= column < size and 0 <= row < size
        if inside and not self.blocked[row, column]:
            return x, y
        reach = reach_m / self._resolution_m
        column, row = window_kernels.nearest_free(
            self.blocked, cx - 1.0, cy - 1.0, reach
        )
        if column < 0:
            return None
        return (
            (column + self._left + 0.5) * self._resolution_m,
            (row + self._low + 0.5) * self._resolution_m,
        )

    def find(
        self,
        start: tuple[float, float],
        goal: tuple[float, float],
        cost: NDArray[np.float32] = NO_COSTS,
    ) -> NDArray[np.float64] | None:
        """Waypoints from start to goal, both included, or nothing."""
        sx, sy = self._cell(*start)
        gx, gy = self._cell(*goal)
        stride = self._stride
        start_cell = int(sy) * stride + int(sx)
        goal_cell = int(gy) * stride + int(gx)
        if not self._connected(start_cell, goal_cell):
            return None
        weighted = len(cost) > 0
        limit = SIGHT_WITH_COSTS_M / self._resolution_m if weighted else math.inf
        tables = workspace(self._run_x.size)
        reached, _, _ = lazy_theta(
            self._run_x,
            self._run_y,
            stride,
            start_cell,
            goal_cell,
            cost,
            COST_WEIGHT if weighted else 0.0,
            HURRY_WITH_COSTS if weighted else 1.0,
            limit,
            tables.cost,
            tables.parent,
            tables.stamp,
            tables.next_stamp(),
        )
        if reached == NOWHERE:
            return None
        cells = chain(tables.parent, goal_cell)[::-1].copy()
        points, _ = points_along(
            self._run_x, self._run_y, stride, cells, sx, sy, gx, gy
        )
        if weighted:
            points = straightened(
                self._run_x, self._run_y, stride, points, cost, COST_WEIGHT
            )
        else:
            points, _ = pulled(self._run_x, self._run_y, stride, points)
        corner = np.array([self._left - 1.0, self._low - 1.0])
        found: NDArray[np.float64] = (points + corner) * self._resolution_m
        found[0], found[-1] = start, goal
        return found

    def _connected(self, a: int, b: int) -> bool:
        """Far cheaper than a search that must fail."""
        if self._part is None:
            self._part = parts(self._run_x, self._stride)
        return bool(self._part[a] == self._part[b])

    def _cell(self, x: float, y: float) -> tuple[float, float]:
        """Padded cells of the window."""
        return (
            x / self._resolution_m - self._left + 1.0,
            y / self._resolution_m - self._low + 1.0,
        )


@kernel
def dearness(
    cost: NDArray[np.float32],
    stride: int,
    weight: float,
    ax: float,
    ay: float,
    bx: float,
    by: float,
) -> float:
    """Length in cells, made longer by what every cell of the way costs."""
    length = math.sqrt((bx - ax) ** 2 + (by - ay) ** 2)
    steps = int(length) + 1
    total = 0.0
    for k in range(steps):
        share = (k + 0.5) / steps
        x, y = ax + (bx - ax) * share, ay + (by - ay) * share
        total += 1.0 + weight * cost[int(y) * stride + int(x)]
    return length * total / steps


@kernel
def straightened(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    points: NDArray[np.float64],
    cost: NDArray[np.float32],
    weight: float,
) -> NDArray[np.float64]:
    """Without the bends that only the short sight of a search with costs put in."""
    count = points.shape[0]
    price = np.zeros(count)
    for i in range(1, count):
        price[i] = price[i - 1] + dearness(
            cost,
            stride,
            weight,
            points[i - 1, 0],
            points[i - 1, 1],
            points[i, 0],
            points[i, 1],
        )
    kept = np.empty((count, 2))
    kept[0] = points[0]
    size, at = 1, 0
    while at < count - 1:
        to = at + 1
        for k in range(count - 1, at + 1, -1):
            ax, ay = points[at, 0], points[at, 1]
            bx, by = points[k, 0], points[k, 1]
            direct = dearness(cost, stride, weight, ax, ay, bx, by)
            if direct <= price[k] - price[at] + 0.5 and sees(
                run_x, run_y, stride, ax, ay, bx, by
            ):
                to = k
                break
        kept[size] = points[to]
        size += 1
        at = to
    return kept[:size].copy()
