"""The way to one station from everywhere, searched once.

Stations are driven to again and again. Lazy Theta* rooted at the station, run over
the whole map, leaves a parent in every cell; a path is then a walk along parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.occupancy import Grid
from shopfloor.planning.chains import chain, points_along, pulled_tight
from shopfloor.planning.lazy_theta_kernel import NOWHERE, lazy_theta
from shopfloor.planning.strings import pulled

NO_COSTS = np.empty(0, np.float32)
NO_COSTS.flags.writeable = False


@dataclass(frozen=True, eq=False, slots=True)
class GoalField:
    grid: Grid
    cell: int
    parent: NDArray[np.int32]
    """Towards the station; NOWHERE where no way leads to it."""
    cost: NDArray[np.float64]
    """Length of the way from each cell's centre, in cells."""

    @staticmethod
    def of(grid: Grid, cell: int) -> GoalField:
        """Rooted at a free cell, given by its flat index."""
        size = grid.blocked.size
        cost = np.full(size, np.inf)
        parent = np.full(size, NOWHERE, np.int32)
        stamp = np.zeros(size, np.int32)
        lazy_theta(
            grid.run_x,
            grid.run_y,
            grid.stride,
            cell,
            NOWHERE,
            NO_COSTS,
            0.0,
            1.0,
            np.inf,
            cost,
            parent,
            stamp,
            2,
        )
        cost.flags.writeable = False
        return GoalField(grid, cell, parent, cost)

    def follow(
        self, cell: int, x0: float, y0: float, x1: float, y1: float
    ) -> tuple[NDArray[np.float64], float] | None:
        """From a point in ``cell`` to a point in the station's cell."""
        if self.parent[cell] == NOWHERE:
            return None
        grid = self.grid
        cells = pulled_tight(
            grid.run_x, grid.run_y, grid.stride, chain(self.parent, cell)
        )
        points, _ = points_along(
            grid.run_x, grid.run_y, grid.stride, cells, x0, y0, x1, y1
        )
        return pulled(grid.run_x, grid.run_y, grid.stride, points)
