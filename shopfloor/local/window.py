"""The rolling local map: what both lasers saw lately and the global map does not hold.

Centred on the robot, aligned with the global map's cells. Things are forgotten when a
beam passes through where they were, or after a while unseen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.watching import Surroundings, in_grid_frame
from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid
from shopfloor.grid.kernels import squared_distances
from shopfloor.local import window_kernels
from shopfloor.local.errors import WindowRefused

NOBODY = np.empty((0, 5))
"""Rows x, y, vx, vy, radius of their returns."""


@dataclass(frozen=True, slots=True)
class WindowShape:
    size_m: float = 7.0
    keep_s: float = 10.0
    """Things unseen for longer are forgotten."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.size_m) and self.size_m > 0.0):
            raise WindowRefused(f"a local map is larger than {self.size_m} m")
        if math.isnan(self.keep_s) or self.keep_s <= 0.0:
            raise WindowRefused(f"a local map remembers longer than {self.keep_s} s")


class LocalWindow:
    def __init__(self, grid: Grid, shape: WindowShape | None = None) -> None:
        self.grid = grid
        self.shape = shape or WindowShape()
        self.resolution_m = grid.resolution_m
        cells = round(self.shape.size_m / grid.resolution_m)
        if not 8 <= cells <= 1000:
            raise WindowRefused(
                f"a local map has 8 to 1000 cells a side, not {cells} "
                f"({self.shape.size_m} m of {grid.resolution_m} m)"
            )
        self.cells = cells
        self.left = 0
        self.low = 0
        self.seen_at = np.full((cells, cells), window_kernels.NEVER)
        self.marked = 0
        self._placed = False

    def update(
        self,
        now_s: float,
        pose: Pose,
        scans: Sequence[Scan],
        around: Surroundings,
        people: NDArray[np.float64] = NOBODY,
    ) -> None:
        """Roll to the robot, forget what is gone, write down what is new."""
        x, y, yaw = in_grid_frame(self.grid, pose)
        self._roll_to(x, y)
        if self.marked:
            for scan in scans:
                eye = Pose(x, y, yaw).plus(scan.mount)
                self.marked = window_kernels.clear_seen_through(
                    self.seen_at,
                    self.left,
                    self.low,
                    self.resolution_m,
                    eye.x_m,
                    eye.y_m,
                    eye.yaw_rad,
                    scan.ranges_m,
                    scan.angle_min_rad,
                    scan.angle_step_rad,
                    now_s,
                    self.shape.keep_s,
                )
        self.marked += window_kernels.mark(
            self.seen_at,
            self.left,
            self.low,
            self.resolution_m,
            around.points,
            around.known,
            x,
            y,
            yaw,
            people,
            now_s,
        )

    def clear(self) -> None:
        """Forget everything that was seen."""
        self.seen_at.fill(window_kernels.NEVER)
        self.marked = 0

    def _roll_to(self, x: float, y: float) -> None:
        left = math.floor(x / self.resolution_m) - self.cells // 2
        low = math.floor(y / self.resolution_m) - self.cells // 2
        if not self._placed:
            self.left, self.low, self._placed = left, low, True
        elif (left, low) != (self.left, self.low):
            if self.marked:
                self.seen_at = window_kernels.roll(
                    self.seen_at, left - self.left, low - self.low
                )
            self.left, self.low = left, low

    def blocked(self, static: NDArray[np.uint8], margin_m: float) -> NDArray[np.uint8]:
        """Static cells, already inflated, and marked ones grown by the margin.

        Measured from centre to centre with half a diagonal on each side, so every
        point outside is at least the margin away from everything marked.
        """
        cells = window_kernels.marked_cells(self.seen_at)
        grown = margin_m / self.resolution_m + math.sqrt(2.0)
        blocked = np.empty((self.cells, self.cells), np.uint8)
        window_kernels.blocked_window(
            static,
            self.left,
            self.low,
            self.seen_at,
            squared_distances(cells),
            grown * grown,
            blocked,
        )
        return blocked

    def marked_points_m(self) -> NDArray[np.float64]:
        """Centres of marked cells in the frame of the map, rows x, y."""
        rows, columns = np.nonzero(self.seen_at >= 0.0)
        cells = np.empty((len(rows), 2))
        cells[:, 0] = columns + self.left + 1.5
        cells[:, 1] = rows + self.low + 1.5
        return self.grid.to_metres(cells)


def path_in_grid(grid: Grid, path: NDArray[np.float64]) -> NDArray[np.float64]:
    """Metres of the map to metres from its first cell."""
    left, bottom, yaw = grid.origin
    moved = path - np.array([left, bottom])
    if yaw != 0.0:
        cos, sin = math.cos(yaw), math.sin(yaw)
        moved = moved @ np.array([[cos, -sin], [sin, cos]])
    return np.ascontiguousarray(moved)
