"""Whether the box of a vehicle touches walls or round things, and how near they are.

Walls are rows x1, y1, x2, y2; round things rows x, y, radius. The box is given by
``Vehicle.outline``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel

BACK, FRONT, HALF = 0, 1, 2


@kernel
def _to_box(x: float, y: float, outline: NDArray[np.float64]) -> float:
    ahead = max(outline[BACK] - x, 0.0, x - outline[FRONT])
    aside = max(abs(y) - outline[HALF], 0.0)
    return math.sqrt(ahead * ahead + aside * aside)


@kernel
def _to_wall(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    dx, dy = bx - ax, by - ay
    size = dx * dx + dy * dy
    share = 0.0
    if size > 0.0:
        share = min(max(((px - ax) * dx + (py - ay) * dy) / size, 0.0), 1.0)
    gap_x, gap_y = ax + share * dx - px, ay + share * dy - py
    return math.sqrt(gap_x * gap_x + gap_y * gap_y)


@kernel
def _crosses(
    ax: float, ay: float, bx: float, by: float, outline: NDArray[np.float64]
) -> bool:
    """Whether some point of the segment lies in the box."""
    low, high = 0.0, 1.0
    for axis in range(2):
        start = ax if axis == 0 else ay
        change = (bx - ax) if axis == 0 else (by - ay)
        least = outline[BACK] if axis == 0 else -outline[HALF]
        most = outline[FRONT] if axis == 0 else outline[HALF]
        if abs(change) < 1e-12:
            if start < least or start > most:
                return False
            continue
        one, other = (least - start) / change, (most - start) / change
        low, high = max(low, min(one, other)), min(high, max(one, other))
    return low <= high


@kernel
def gap_to(
    x: float,
    y: float,
    yaw: float,
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    most: float,
) -> float:
    """Metres to the nearest, 0 when something touches; nothing beyond ``most``."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    least = most
    for d in range(discs.shape[0]):
        dx, dy = discs[d, 0] - x, discs[d, 1] - y
        there = _to_box(cos * dx + sin * dy, cos * dy - sin * dx, outline)
        least = min(least, max(there - discs[d, 2], 0.0))
    back, front, half = outline[BACK], outline[FRONT], outline[HALF]
    reach = math.sqrt(max(-back, front) ** 2 + half * half)
    for w in range(walls.shape[0]):
        # Far ones cannot matter.
        away = reach + least
        if (
            min(walls[w, 0], walls[w, 2]) > x + away
            or max(walls[w, 0], walls[w, 2]) < x - away
            or min(walls[w, 1], walls[w, 3]) > y + away
            or max(walls[w, 1], walls[w, 3]) < y - away
        ):
            continue
        dx, dy = walls[w, 0] - x, walls[w, 1] - y
        ax, ay = cos * dx + sin * dy, cos * dy - sin * dx
        dx, dy = walls[w, 2] - x, walls[w, 3] - y
        bx, by = cos * dx + sin * dy, cos * dy - sin * dx
        if _crosses(ax, ay, bx, by, outline):
            return 0.0
        least = min(least, _to_box(ax, ay, outline), _to_box(bx, by, outline))
        least = min(least, _to_wall(back, half, ax, ay, bx, by))
        least = min(least, _to_wall(back, -half, ax, ay, bx, by))
        least = min(least, _to_wall(front, half, ax, ay, bx, by))
        least = min(least, _to_wall(front, -half, ax, ay, bx, by))
    return least
