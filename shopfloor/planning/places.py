"""Where a point lies on the map, or the one reason why nothing can start there."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.occupancy import Grid
from shopfloor.planning.paths import Status

INSIDE = 1e-6
"""Points are kept this far, in cells, off the sides of their cell: a point exactly
between two cells belongs to one of them and touches no other."""


class Place(NamedTuple):
    x: float
    y: float
    cell: int


_CAUSES = {
    "start": (Status.START_NOT_FINITE, Status.START_OUTSIDE, Status.START_BLOCKED),
    "goal": (Status.GOAL_NOT_FINITE, Status.GOAL_OUTSIDE, Status.GOAL_BLOCKED),
}


def place(
    grid: Grid,
    point: tuple[float, float],
    role: Literal["start", "goal"],
    blocked: NDArray[np.uint8] | None = None,
) -> Place | Status:
    x_m, y_m = float(point[0]), float(point[1])
    left, bottom, yaw = grid.origin
    if yaw == 0.0:
        x = (x_m - left) / grid.resolution_m + 1.0
        y = (y_m - bottom) / grid.resolution_m + 1.0
    else:
        x, y = grid.to_cells(x_m, y_m)
    not_finite, outside, in_obstacle = _CAUSES[role]
    if not (1.0 <= x < grid.width + 1.0 and 1.0 <= y < grid.height + 1.0):
        finite = math.isfinite(x_m) and math.isfinite(y_m)
        return outside if finite else not_finite
    column, row = int(x), int(y)
    cell = row * grid.stride + column
    if (grid.blocked if blocked is None else blocked)[cell]:
        return in_obstacle
    if x < column + INSIDE:
        x = column + INSIDE
    elif x > column + 1 - INSIDE:
        x = column + 1 - INSIDE
    if y < row + INSIDE:
        y = row + INSIDE
    elif y > row + 1 - INSIDE:
        y = row + 1 - INSIDE
    return Place(x, y, cell)
