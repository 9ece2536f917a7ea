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
    if u0 > u1:
        u0, v0, u1, v1 = u1, v1, u0, v0
    rise = abs(v1 - v0)
    if v1 >= v0:
        first = int(v0 - TOUCH)
        lines = int(v1 + TOUCH) - first
        to_next = first + 1 - v0
        step = next_line
    else:
        first = int(v0 + TOUCH)
        lines = first - int(v1 - TOUCH)
        to_next = v0 - first
        step = -next_line
    least = u0 - TOUCH
    most = u1 + TOUCH
    line = first * next_line
    if rise < TOUCH:
        begin = int(least)
        span = int(most) - begin
        for _ in range(lines + 1):
            if run[line + begin * next_cell] <= span:
                return False
            line += step
        return True
    slope = (u1 - u0) / rise
    # Where the segment leaves a line it enters the next. The slack is TOUCH measured
    # across the segment, so that rounding never hides a contact.
    slack = TOUCH * (1.0 + slope)
    begin = int(least)
    for k in range(lines):
        crossing = u0 + slope * (to_next + k)
        end = int(min(most, crossing + slack))
        if run[line + begin * next_cell] <= end - begin:
            return False
        begin = int(max(least, crossing - slack))
        line += step
    return bool(run[line + begin * next_cell] > int(most) - begin)


CENTRE_TOUCH = 1e-7
"""Crossings between centres are whole multiples of half the inverse of the line
count, so they come no nearer to a corner than this unless they touch it."""


@kernel
def cells_see(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    x0: int,
    y0: int,
    x1: int,
    y1: int,
) -> bool:
    """The same between the centres of two cells, in half the time."""
    if abs(x1 - x0) >= abs(y1 - y0):
        return _centres_clear(run_x, stride, 1, x0, y0, x1, y1)
    return _centres_clear(run_y, 1, stride, y0, x0, y1, x1)


@kernel
def _centres_clear(
    run: NDArray[np.int32],
    next_line: int,
    next_cell: int,
    u0: int,
    v0: int,
    u1: int,
    v1: int,
) -> bool:
    if u0 > u1:
        u0, v0, u1, v1 = u1, v1, u0, v0
    line = v0 * next_line
    step = next_line if v1 >= v0 else -next_line
    lines = abs(v1 - v0)
    if lines == 0:
        return bool(run[line + u0 * next_cell] > u1 - u0)
    slope = (u1 - u0) / lines
    crossing = u0 + 0.5 + 0.5 * slope
    begin = u0
    for _ in range(lines):
        end = int(crossing + CENTRE_TOUCH)
        if run[line + begin * next_cell] <= end - begin:
            return False
        begin = int(crossing - CENTRE_TOUCH)
        crossing += slope
        line += step
    return bool(run[line + begin * next_cell] > u1 - begin)
