"""Rays on an occupancy grid: exact to the cell, fast where there is room.

A ray steps from cell border to cell border (Amanatides and Woo) near obstacles and
jumps wherever the distance transform promises that nothing can be met. Every distance
is worked out from the start of the ray, so jumps leave no trace in the result.

Blocked cells are closed squares: a ray through the point where two of them touch is
stopped. Two points nearer than ``TOUCH`` cells are the same. Points are in padded
cells, as everywhere behind a grid.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

TOUCH = 1e-9
PARALLEL = 1e-12
"""Directions with a smaller part than this run along the axis."""
WALL = 0
EDGE = 1
"""Cells of the ring around the map; what reaches them sees nothing."""
FREE = 2
"""And one more for every half cell that can be jumped from anywhere in the cell."""
WORTH_A_JUMP = FREE + 4


@kernel
def room_codes(
    padded: NDArray[np.uint8], squared: NDArray[np.int32]
) -> NDArray[np.uint8]:
    """One byte per cell, from blocked cells and squared square-to-square distances."""
    height, width = padded.shape
    codes = np.empty((height, width), np.uint8)
    for row in range(height):
        for column in range(width):
            if row in (0, height - 1) or column in (0, width - 1):
                codes[row, column] = EDGE
            elif padded[row, column] != 0:
                codes[row, column] = WALL
            else:
                halves = int(2.0 * math.sqrt(squared[row, column]))
                codes[row, column] = FREE + min(halves, 250)
    return codes.reshape(-1)


@kernel
def _march(
    room: NDArray[np.uint8],
    stride: int,
    x: float,
    y: float,
    dx: float,
    dy: float,
    reach: float,
) -> float:
    column, row = int(x), int(y)
    cell = row * stride + column
    code = room[cell]
    if code == WALL:
        return 0.0
    if code == EDGE:
        return math.inf
    step_x, ahead_x, per_x = 0, 0, math.inf
    step_y, ahead_y, per_y = 0, 0, math.inf
    if dx != 0.0:
        per_x = 1.0 / dx
        step_x, ahead_x = (1, 1) if dx > 0.0 else (-1, 0)
    if dy != 0.0:
        per_y = 1.0 / dy
        step_y, ahead_y = (1, 1) if dy > 0.0 else (-1, 0)
    step_row = step_y * stride
    to_x = (column + ahead_x - x) * per_x if step_x != 0 else math.inf
    to_y = (row + ahead_y - y) * per_y if step_y != 0 else math.inf
    along = 0.0
    while True:
        if code >= WORTH_A_JUMP:
            along += 0.5 * (code - FREE) - 1e-6
            if along > reach:
                return math.inf
            column, row = int(x + along * dx), int(y + along * dy)
            cell = row * stride + column
            code = room[cell]
            if step_x != 0:
                to_x = (column + ahead_x - x) * per_x
            if step_y != 0:
                to_y = (row + ahead_y - y) * per_y
            continue
        gap = to_x - to_y
        if gap < -TOUCH:
            along = to_x
            column += step_x
            cell += step_x
            to_x = (column + ahead_x - x) * per_x
        elif gap > TOUCH:
            along = to_y
            row += step_y
            cell += step_row
            to_y = (row + ahead_y - y) * per_y
        else:
            along = min(to_x, to_y)
            if room[cell + step_x] == WALL or room[cell + step_row] == WALL:
                return along if along <= reach else math.inf
            column += step_x
            row += step_y
            cell += step_x + step_row
            to_x = (column + ahead_x - x) * per_x
            to_y = (row + ahead_y - y) * per_y
        if along > reach:
            return math.inf
        code = room[cell]
        if code == WALL:
            return max(along, 0.0)
        if code == EDGE:
            return math.inf


@kernel
def cast_ray(
    room: NDArray[np.uint8],
    stride: int,
    x: float,
    y: float,
    dx: float,
    dy: float,
    reach: float,
) -> float:
    """Distance in cells to the first blocked cell, infinite beyond the reach."""
    if abs(dx) < PARALLEL:
        dx, dy = 0.0, math.copysign(1.0, dy)
        if abs(x - np.round(x)) <= TOUCH:
            # Along the border of two columns: both of them can stop it.
            border = np.round(x)
            return min(
                _march(room, stride, border - 0.5, y, dx, dy, reach),
                _march(room, stride, border + 0.5, y, dx, dy, reach),
            )
    elif abs(dy) < PARALLEL:
        dx, dy = math.copysign(1.0, dx), 0.0
        if abs(y - np.round(y)) <= TOUCH:
            border = np.round(y)
            return min(
                _march(room, stride, x, border - 0.5, dx, dy, reach),
                _march(room, stride, x, border + 0.5, dx, dy, reach),
            )
    return _march(room, stride, x, y, dx, dy, reach)


@kernel
def cast_rays(
    room: NDArray[np.uint8],
    stride: int,
    starts: NDArray[np.float64],
    cosines: NDArray[np.float64],
    sines: NDArray[np.float64],
    reach: float,
    scale: float,
    ranges: NDArray[np.float64],
) -> None:
    """Rows of starts are x, y and yaw in padded cells; results are scaled."""
    for pose in range(starts.shape[0]):
        x, y = starts[pose, 0], starts[pose, 1]
        cos, sin = math.cos(starts[pose, 2]), math.sin(starts[pose, 2])
        for beam in range(cosines.size):
            dx = cos * cosines[beam] - sin * sines[beam]
            dy = sin * cosines[beam] + cos * sines[beam]
            ranges[pose, beam] = scale * cast_ray(room, stride, x, y, dx, dy, reach)


@kernel
def disturb(
    ranges: NDArray[np.float64],
    noise_m: float,
    noise: NDArray[np.float64],
    phantom_share: float,
    dust: NDArray[np.float64],
    dropout_share: float,
    lost: NDArray[np.float64],
    range_max_m: float,
) -> None:
    """Make perfect ranges those of a real laser; draws of chance may be empty.

    ``dust`` is whether a beam meets any, and where on its way.
    """
    for i in range(ranges.size):
        seen = ranges[i]
        if noise.size > 0:
            seen = max(seen + noise_m * noise[i], 0.0)
        if dust.shape[1] > 0 and dust[0, i] < phantom_share:
            seen = dust[1, i] * min(seen, range_max_m)
        if lost.size > 0 and lost[i] < dropout_share:
            seen = math.inf
        ranges[i] = seen if seen <= range_max_m else math.inf
