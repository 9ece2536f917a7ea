"""Line of sight: does a straight segment stay clear of every blocked cell.

Blocked cells are closed squares: a segment that touches an edge or a corner sees
nothing, so what sees can be driven. Points are in padded cells (a cell ``i`` reaches
from ``i`` to ``i + 1``). Tables of runs turn a row of cells into one look-up, so the
cost grows with the shorter side of the segment only.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

TOUCH = 1e-9
"""Nearer than this, in cells, is touching. Far above the rounding of doubles on any
map we accept, far below the gap that any two cell centres can leave at a corner."""


@kernel
def sees(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
) -> bool:
    if abs(x1 - x0) >= abs(y1 - y0):
        return _clear(run_x, stride, 1, x0, y0, x1, y1)
    return _clear(run_y, 1, stride, y0, x0, y1, x1)


@kernel
def _clear(
    run: NDArray[np.int32],
    next_line: int,
    next_cell: int,
    u0: float,
    v0: float,
    u1: float,
    v1: float,
) -> bool:
    """The runs go along u; one look-up per line of cells that the segment meets."""
    if v0 > v1:
        u0, v0, u1, v1 = u1, v1, u0, v0
    least = min(u0, u1)
    most = max(u0, u1)
    first = int(v0 - TOUCH)
    last = int(v1 + TOUCH)
    rise = v1 - v0
    flat = rise < TOUCH
    slope = 0.0 if flat else (u1 - u0) / rise
    for line in range(first, last + 1):
        low = least
        high = most
        if not flat:
            # The band is widened by TOUCH, so that rounding never hides a contact.
            enter = u0 + slope * (max(v0, line - TOUCH) - v0)
            leave = u0 + slope * (min(v1, line + 1 + TOUCH) - v0)
            low = max(least, min(enter, leave))
            high = min(most, max(enter, leave))
        begin = int(low - TOUCH)
        end = int(high + TOUCH)
        if run[line * next_line + begin * next_cell] <= end - begin:
            return False
    return True
