"""Blind corners along a way: edges behind which the lasers see nothing.

Where two neighbouring beams end far apart, the nearer end is an edge, and what lies
behind it is hidden. Only edges beside the way count, with floor behind them on which
somebody can stand.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

DEEP_M = 0.8
"""Less than that behind an edge hides nobody."""
BESIDE_RAD = 0.5
"""Seen from the middle of the robot; returns farther apart are no neighbours."""
BEHIND_M = 0.5
STANDS_M = 0.2
"""Somebody stands so far behind the edge, with so much room."""


@kernel
def nearest_blind_corner(
    points: NDArray[np.float64],
    size: int,
    way: NDArray[np.float64],
    from_x: float,
    from_y: float,
    from_yaw: float,
    map_x: float,
    map_y: float,
    map_yaw: float,
    resolution: float,
    distance: NDArray[np.float32],
    beside: float,
    look_ahead: float,
) -> float:
    """How far along the way the first one is; infinite without one.

    Points are in the robot's frame, the way in the map's; ``from`` is the robot's pose
    there, ``map`` the same from the corner of the map's first cell.
    """
    best = math.inf
    height, width = distance.shape
    cos, sin = math.cos(map_yaw), math.sin(map_yaw)
    c, s = math.cos(from_yaw), math.sin(from_yaw)
    for i in range(size - 1):
        if abs(points[i, 2] - points[i + 1, 2]) < DEEP_M:
            continue
        k = i if points[i, 2] < points[i + 1, 2] else i + 1
        px, py, r = points[k, 0], points[k, 1], points[k, 2]
        if r > look_ahead + beside:
            continue
        here = math.atan2(points[i, 1], points[i, 0])
        apart = abs(math.atan2(points[i + 1, 1], points[i + 1, 0]) - here)
        if min(apart, math.tau - apart) > BESIDE_RAD:
            continue
        away = math.hypot(px, py)
        if away == 0.0:
            continue
        bx, by = px * (1.0 + BEHIND_M / away), py * (1.0 + BEHIND_M / away)
        column = math.floor((map_x + cos * bx - sin * by) / resolution)
        row = math.floor((map_y + sin * bx + cos * by) / resolution)
        if not (0 <= column < width and 0 <= row < height):
            continue
        if distance[row, column] < STANDS_M:
            continue
        x, y = from_x + c * px - s * py, from_y + s * px + c * py
        gone = 0.0
        x0, y0 = from_x, from_y
        for j in range(1, way.shape[0]):
            ex, ey = way[j, 0] - x0, way[j, 1] - y0
            length = math.hypot(ex, ey)
            if length > 0.0:
                along = ((x - x0) * ex + (y - y0) * ey) / length
                along = min(max(along, 0.0), length)
                share = along / length
                gap = math.hypot(x - x0 - ex * share, y - y0 - ey * share)
                # Passed, it hides nobody any more.
                if gap < beside and gone + along > 0.0:
                    best = min(best, gone + along)
                    break
            gone += length
            if gone > look_ahead:
                break
            x0, y0 = way[j, 0], way[j, 1]
    return best
