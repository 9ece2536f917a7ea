"""From parent links to points: how every cell search hands back its path.

Searches work on cell centres; the path begins and ends at the exact points asked
for. The centres of the first and last cell stay only where they are needed to see.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.sight import cells_see, sees


@kernel
def chain(parent: NDArray[np.int32], cell: int) -> NDArray[np.int32]:
    """The cells from this one to the root, both included."""
    count = 1
    at = cell
    while parent[at] != at:
        at = parent[at]
        count += 1
    cells = np.empty(count, np.int32)
    at = cell
    for i in range(count):
        cells[i] = at
        at = parent[at]
    return cells


@kernel
def without_waypoints_in_line(
    cells: NDArray[np.int32], stride: int
) -> NDArray[np.int32]:
    """A walk from neighbour to neighbour, kept at its turns only."""
    kept = np.empty(cells.size, np.int32)
    count = 0
    for i in range(cells.size):
        inner = 0 < i < cells.size - 1
        if inner and cells[i] - cells[i - 1] == cells[i + 1] - cells[i]:
            continue
        kept[count] = cells[i]
        count += 1
    return kept[:count].copy()


@kernel
def pulled_tight(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    cells: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Leave out every cell whose neighbours in the list see each other."""
    kept = np.empty(cells.size, np.int32)
    kept[0] = cells[0]
    count = 1
    for i in range(1, cells.size - 1):
        back = kept[count - 1]
        ahead = cells[i + 1]
        if not cells_see(
            run_x,
            run_y,
            stride,
            back % stride,
            back // stride,
            ahead % stride,
            ahead // stride,
        ):
            kept[count] = cells[i]
            count += 1
    if cells.size > 1:
        kept[count] = cells[cells.size - 1]
        count += 1
    return kept[:count].copy()


@kernel
def points_along(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    cells: NDArray[np.int32],
    x0: float,
    y0: float,
    x1: float,
    y1: float,
) -> tuple[NDArray[np.float64], float]:
    """Points from (x0, y0) over the cells' centres to (x1, y1), and the length."""
    count = cells.size
    xy = np.empty((count + 2, 2), np.float64)
    xy[0, 0] = x0
    xy[0, 1] = y0
    size = 1
    if count > 1:
        for i in range(count):
            xy[size, 0] = cells[i] % stride + 0.5
            xy[size, 1] = cells[i] // stride + 0.5
            size += 1
        if sees(run_x, run_y, stride, x0, y0, xy[2, 0], xy[2, 1]):
            for i in range(1, size - 1):
                xy[i, 0] = xy[i + 1, 0]
                xy[i, 1] = xy[i + 1, 1]
            size -= 1
        if sees(run_x, run_y, stride, xy[size - 2, 0], xy[size - 2, 1], x1, y1):
            size -= 1
    xy[size, 0] = x1
    xy[size, 1] = y1
    size += 1
    length = 0.0
    for i in range(1, size):
        dx = xy[i, 0] - xy[i - 1, 0]
        dy = xy[i, 1] - xy[i - 1, 1]
        length += np.sqrt(dx * dx + dy * dy)
    return xy[:size].copy(), length
