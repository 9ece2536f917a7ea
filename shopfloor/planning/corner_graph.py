"""Roads between the corners of obstacles, made once per map.

Built in a fraction of a second, it answers a query in microseconds with a path that
is at most a few thousandths longer than the true optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.occupancy import Grid
from shopfloor.planning.corner_kernels import find_corners, join_corners
from shopfloor.planning.corner_search import search_corners
from shopfloor.planning.corner_views import list_views, tile_bits
from shopfloor.planning.strings import OFFSET_CELLS

MAX_CORNERS = 6_000
"""Beyond, joining every pair costs seconds; the map is clutter or speckle."""


Tables = tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    int,
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int32],
    int,
]
"""What every search reads, in the order of its parameters."""


class TooManyCorners(ValueError):
    """A map on which the corner graph does not pay; Lazy Theta* does."""


@dataclass(frozen=True, eq=False, slots=True)
class CornerGraph:
    grid: Grid
    node: NDArray[np.float64]
    """x and y of every node, one row each."""
    tables: Tables

    @staticmethod
    def of(grid: Grid, offset_cells: float = OFFSET_CELLS) -> CornerGraph:
        at, out = find_corners(grid.blocked, grid.stride)
        if at.shape[1] > MAX_CORNERS:
            raise TooManyCorners(
                f"the map has {at.shape[1]} corners, more than {MAX_CORNERS}"
            )
        node = at + offset_cells * out
        sight = (grid.run_x, grid.run_y, grid.stride)
        joined = join_corners(*sight, node, out)
        bits = tile_bits(grid)
        views = list_views(*sight, node, out, bits)
        for table in (node, out, *joined, *views):
            table.flags.writeable = False
        return CornerGraph(grid, node, (*sight, node, out, *joined, *views, bits))

    def search(
        self, x0: float, y0: float, x1: float, y1: float
    ) -> tuple[NDArray[np.float64], float, int, int]:
        """Between points of padded cells; see the kernel for what comes back."""
        return search_corners(*self.tables, x0, y0, x1, y1, 1.0, 0.0, 0.0)

    def search_metres(
        self, x0: float, y0: float, x1: float, y1: float
    ) -> tuple[NDArray[np.float64], float, int, int]:
        """The same, with points and length in metres in the frame of the map."""
        grid = self.grid
        unit = grid.resolution_m
        left, bottom, yaw = grid.origin
        if yaw == 0.0:
            xy, length, expansions, checks = search_corners(
                *self.tables, x0, y0, x1, y1, unit, left - unit, bottom - unit
            )
        else:
            xy, length, expansions, checks = self.search(x0, y0, x1, y1)
            xy = grid.to_metres(xy)
        return xy, length * unit, expansions, checks
