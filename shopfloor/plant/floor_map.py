"""The map of a world as the planners and lasers want it."""

from __future__ import annotations

import numpy as np

from shopfloor.grid import Grid
from shopfloor.sim.sensors import FREE, occupancy
from shopfloor.sim.world import Map


def grid_of(plan: Map) -> Grid:
    """Only what is clearly free may be driven on: unknown cells are blocked."""
    columns, rows, cells = occupancy(plan)
    blocked = np.array(cells, np.int16).reshape(rows, columns) != FREE
    origin = (plan.origin.x_m, plan.origin.y_m, 0.0)
    return Grid.of(blocked, plan.resolution_m, origin)
