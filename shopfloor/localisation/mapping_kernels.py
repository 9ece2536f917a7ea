"""Writing what beams say into a grid of log-odds.

In one scan a cell speaks once, and a hit outweighs any number of beams that graze by:
otherwise a wall seen at a flat angle wears away.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel


@kernel
def mark_beams(
    odds: NDArray[np.float32],
    stamp: NDArray[np.int32],
    turn: int,
    x: float,
    y: float,
    yaw: float,
    angles: NDArray[np.float64],
    ranges: NDArray[np.float64],
    clear_to: float,
    behind: float,
    hit: float,
    miss: float,
    most: float,
) -> None:
    """Lengths are in cells; stamps of 2 * turn are free and of 2 * turn + 1 hit."""
    height, width = odds.shape
    for beam in range(angles.size):
        if not math.isfinite(ranges[beam]):
            continue
        reach = ranges[beam] + behind
        column = int(np.floor(x + reach * math.cos(yaw + angles[beam])))
        row = int(np.floor(y + reach * math.sin(yaw + angles[beam])))
        if not (0 <= column < width and 0 <= row < height):
            continue
        if stamp[row, column] != 2 * turn + 1:
            stamp[row, column] = 2 * turn + 1
            odds[row, column] = min(odds[row, column] + hit, most)
    for beam in range(angles.size):
        length = ranges[beam] if math.isfinite(ranges[beam]) else clear_to
        dx, dy = math.cos(yaw + angles[beam]), math.sin(yaw + angles[beam])
        column, row = int(np.floor(x)), int(np.floor(y))
        step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
        to_x = (column + (dx > 0.0) - x) / dx if dx != 0.0 else math.inf
        to_y = (row + (dy > 0.0) - y) / dy if dy != 0.0 else math.inf
        leave = min(to_x, to_y)
        # A cell counts as free when the beam has left it, not merely entered it.
        while leave <= length and 0 <= column < width and 0 <= row < height:
            if stamp[row, column] < 2 * turn:
                stamp[row, column] = 2 * turn
                odds[row, column] = max(odds[row, column] - miss, -most)
            if to_x <= to_y:
                column += step_x
                to_x = (column + (dx > 0.0) - x) / dx
            else:
                row += step_y
                to_y = (row + (dy > 0.0) - y) / dy
            leave = min(to_x, to_y)
