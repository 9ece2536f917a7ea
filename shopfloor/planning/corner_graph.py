"""Roads between the corners of obstacles, made once per map.

Built in a fraction of a second, it answers a query in microseconds with a path that
is at most a few thousandths longer than the true optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.occupancy import Grid
from shopfloor.planning import corner_kernels as kernels
from shopfloor.planning.strings import OFFSET_CELLS

MAX_CORNERS = 6_000
"""Beyond, joining every pair costs seconds; the map is clutter or speckle."""


class TooManyCorners(ValueError):
    """A map on which the corner graph does not pay; Lazy Theta* does."""


@dataclass(frozen=True, eq=False, slots=True)
class CornerGraph:
    grid: Grid
    node: NDArray[np.float64]
    """x and y of every node, one row each."""
    out: NDArray[np.float64]
    begins: NDArray[np.int64]
    neighbour: NDArray[np.int32]
    length: NDArray[np.float64]

    @staticmethod
    def of(grid: Grid, offset_cells: float = OFFSET_CELLS) -> CornerGraph:
        at, out = kernels.find_corners(grid.blocked, grid.stride)
        if at.shape[1] > MAX_CORNERS:
            raise TooManyCorners(
                f"the map has {at.shape[1]} corners, more than {MAX_CORNERS}"
            )
        node = at + offset_cells * out
        joined = kernels.join_corners(grid.run_x, grid.run_y, grid.stride, node, out)
        for table in (node, out, *joined):
            table.flags.writeable = False
        return CornerGraph(grid, node, out, *joined)

    def search(
        self, x0: float, y0: float, x1: float, y1: float
    ) -> tuple[NDArray[np.float64], float, int, int]:
        """Between points of padded cells; see the kernel for what comes back."""
        grid = self.grid
        return kernels.search_corners(
            grid.run_x,
            grid.run_y,
            grid.stride,
            self.node,
            self.out,
            self.begins,
            self.neighbour,
            self.length,
            x0,
            y0,
            x1,
            y1,
        )
