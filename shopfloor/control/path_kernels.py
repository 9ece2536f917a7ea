"""Finding oneself on a path: nearest place, the point to steer for, the next bend."""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

BEND_RAD = 0.2
"""Smaller turns of the path are no bends."""
AHEAD_M = 4.0
"""Bends farther away do not matter yet."""


@kernel
def look_along(
    path: NDArray[np.float64],
    x: float,
    y: float,
    least_s: float,
    most_s: float,
    lookahead: float,
) -> tuple[float, float, float, float, float, float, float]:
    """Returns progress, remaining, aside, target x and y, distance and size of a bend.

    Only places between the least and most progress count, so that a path that comes
    back on the other side of a wall is not mistaken for this one. ``aside`` is
    positive left of the path.
    """
    count = path.shape[0]
    best = math.inf
    best_s = 0.0
    aside = 0.0
    total = 0.0
    for i in range(count - 1):
        ex = path[i + 1, 0] - path[i, 0]
        ey = path[i + 1, 1] - path[i, 1]
        length = math.sqrt(ex * ex + ey * ey)
        if length > 0.0 and total <= most_s and total + length >= least_s:
            along = ((x - path[i, 0]) * ex + (y - path[i, 1]) * ey) / length
            along = min(max(along, 0.0, least_s - total), length)
            px = path[i, 0] + ex * along / length
            py = path[i, 1] + ey * along / length
            away = math.sqrt((x - px) ** 2 + (y - py) ** 2)
            if away < best - 1e-12:
                best = away
                best_s = total + along
                aside = (ex * (y - path[i, 1]) - ey * (x - path[i, 0])) / length
        total += length
    remaining = total - best_s
    target_s = min(best_s + lookahead, total)
    target_x = path[count - 1, 0]
    target_y = path[count - 1, 1]
    bend_m = math.inf
    bend_rad = 0.0
    found = False
    heading = 0.0
    known = False
    total = 0.0
    for i in range(count - 1):
        ex = path[i + 1, 0] - path[i, 0]
        ey = path[i + 1, 1] - path[i, 1]
        length = math.sqrt(ex * ex + ey * ey)
        if length == 0.0:
            continue
        if not found and total + length >= target_s:
            share = (target_s - total) / length
            target_x = path[i, 0] + ex * share
            target_y = path[i, 1] + ey * share
            found = True
        if total + length >= best_s and total <= best_s + AHEAD_M:
            now = math.atan2(ey, ex)
            if known and total > best_s:
                turn = now - heading
                turn -= math.tau * np.round(turn / math.tau)
                if abs(turn) > BEND_RAD and math.isinf(bend_m):
                    bend_m = total - best_s
                    bend_rad = abs(turn)
            heading = now
            known = True
        total += length
    return best_s, remaining, aside, target_x, target_y, bend_m, bend_rad
