"""Array work of the rolling local map.

The window is a square cut out of the global map's cells: ``left`` and ``low`` are the
column and row of its first cell, so that static cells are copied and never resampled.
``seen_at`` holds when an unexplained thing was last seen in a cell, -1 for never.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

NEVER = -1.0


@kernel
def roll(seen_at: NDArray[np.float64], columns: int, rows: int) -> NDArray[np.float64]:
    """The window after the robot moved by so many cells."""
    size = seen_at.shape[0]
    moved = np.full((size, size), NEVER)
    for row in range(max(0, -rows), min(size, size - rows)):
        for column in range(max(0, -columns), min(size, size - columns)):
            moved[row, column] = seen_at[row + rows, column + columns]
    return moved


@kernel
def clear_seen_through(
    seen_at: NDArray[np.float64],
    left: int,
    low: int,
    resolution: float,
    eye_x: float,
    eye_y: float,
    eye_yaw: float,
    ranges: NDArray[np.float64],
    angle_min: float,
    angle_step: float,
    now: float,
    keep_s: float,
) -> int:
    """Forget what a beam now passes through, and what is too old; how many are left.

    Three neighbouring beams must agree, so that one lost beam forgets nothing.
    """
    size = seen_at.shape[0]
    count = ranges.size
    kept = 0
    for row in range(size):
        for column in range(size):
            seen = seen_at[row, column]
            if seen < 0.0:
                continue
            if now - seen > keep_s:
                seen_at[row, column] = NEVER
                continue
            kept += 1
            dx = (left + column + 0.5) * resolution - eye_x
            dy = (low + row + 0.5) * resolution - eye_y
            angle = math.atan2(dy, dx) - eye_yaw - angle_min
            angle -= math.tau * math.floor(angle / math.tau)
            beam = int(np.round(angle / angle_step))
            if beam < 1 or beam >= count - 1:
                continue
            least = min(ranges[beam - 1], ranges[beam], ranges[beam + 1])
            if least > math.sqrt(dx * dx + dy * dy) + 2.0 * resolution:
                seen_at[row, column] = NEVER
                kept -= 1
    return kept


@kernel
def mark(
    seen_at: NDArray[np.float64],
    left: int,
    low: int,
    resolution: float,
    points: NDArray[np.float64],
    known: NDArray[np.uint8],
    map_x: float,
    map_y: float,
    map_yaw: float,
    people: NDArray[np.float64],
    now: float,
) -> int:
    """Write down unexplained returns, except those of tagged people; how many."""
    size = seen_at.shape[0]
    cos, sin = math.cos(map_yaw), math.sin(map_yaw)
    marked = 0
    for i in range(points.shape[0]):
        if known[i] != 0:
            continue
        x = map_x + cos * points[i, 0] - sin * points[i, 1]
        y = map_y + sin * points[i, 0] + cos * points[i, 1]
        column = math.floor(x / resolution) - left
        row = math.floor(y / resolution) - low
        if not (0 <= column < size and 0 <= row < size):
            continue
        theirs = False
        for p in range(people.shape[0]):
            away = (x - people[p, 0]) ** 2 + (y - people[p, 1]) ** 2
            if away < people[p, 4] * people[p, 4]:
                theirs = True
                break
        if not theirs:
            seen_at[row, column] = now
            marked += 1
    return marked


@kernel
def blocked_window(
    static: NDArray[np.uint8],
    left: int,
    low: int,
    seen_at: NDArray[np.float64],
    squared: NDArray[np.int32],
    limit: float,
    blocked: NDArray[np.uint8],
) -> None:
    """Static cells (already inflated) and whatever is near a marked cell."""
    size = seen_at.shape[0]
    height, width = static.shape
    for row in range(size):
        for column in range(size):
            r, c = low + row, left + column
            outside = r < 0 or c < 0 or r >= height or c >= width
            near = squared[row, column] < limit
            blocked[row, column] = 1 if outside or near or static[r, c] != 0 else 0


@kernel
def marked_cells(seen_at: NDArray[np.float64]) -> NDArray[np.uint8]:
    size = seen_at.shape[0]
    cells = np.zeros((size, size), np.uint8)
    for row in range(size):
        for column in range(size):
            if seen_at[row, column] >= 0.0:
                cells[row, column] = 1
    return cells


@kernel
def add_people(
    blocked: NDArray[np.uint8],
    cost: NDArray[np.float32],
    left: int,
    low: int,
    resolution: float,
    people: NDArray[np.float64],
    keep: NDArray[np.float64],
    block_s: float,
    cost_s: float,
    falloff: float,
    left_x: float,
    left_y: float,
    left_cost: float,
) -> None:
    """Block the room each person needs now and soon; make the way there dear.

    ``people`` are rows x, y, vx, vy, own radius; ``keep`` is the distance to block
    for each. ``left_*`` is the robot's left: the cost reaches farther to that side
    of a person, so that the cheap way around is on the right. ``cost`` is padded.
    """
    size = blocked.shape[0]
    for p in range(people.shape[0]):
        px, py, vx, vy = people[p, 0], people[p, 1], people[p, 2], people[p, 3]
        reach = keep[p] + falloff + left_cost
        ex, ey = vx * cost_s, vy * cost_s
        first_c = int((min(px, px + ex) - reach) / resolution) - left - 1
        last_c = int((max(px, px + ex) + reach) / resolution) - left + 1
        first_r = int((min(py, py + ey) - reach) / resolution) - low - 1
        last_r = int((max(py, py + ey) + reach) / resolution) - low + 1
        square = ex * ex + ey * ey
        near_share = block_s / cost_s if cost_s > 0.0 else 0.0
        for row in range(max(first_r, 0), min(last_r + 1, size)):
            for column in range(max(first_c, 0), min(last_c + 1, size)):
                x = (left + column + 0.5) * resolution - px
                y = (low + row + 0.5) * resolution - py
                share = 0.0
                if square > 0.0:
                    share = min(max((x * ex + y * ey) / square, 0.0), 1.0)
                soon = min(share, near_share)
                away = math.sqrt((x - soon * ex) ** 2 + (y - soon * ey) ** 2)
                if away < keep[p]:
                    blocked[row, column] = 1
                x -= share * ex
                y -= share * ey
                side = x * left_x + y * left_y
                away = math.sqrt(x * x + y * y)
                if side > 0.0:
                    away -= left_cost * side / max(away, 1e-9)
                dear = 1.0 - (away - keep[p]) / falloff
                if dear > 0.0:
                    at = (row + 1) * (size + 2) + column + 1
                    cost[at] = max(cost[at], np.float32(min(dear, 1.0)))


@kernel
def nearest_free(
    blocked: NDArray[np.uint8], x: float, y: float, reach: float
) -> tuple[int, int]:
    """The free cell nearest to a point of the window (in cells), or -1, -1."""
    size = blocked.shape[0]
    best = reach * reach
    best_c, best_r = -1, -1
    for row in range(max(int(y - reach), 0), min(int(y + reach) + 1, size)):
        for column in range(max(int(x - reach), 0), min(int(x + reach) + 1, size)):
            if blocked[row, column] != 0:
                continue
            away = (column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2
            if away < best:
                best = away
                best_c, best_r = column, row
    return best_c, best_r


@kernel
def last_free_on_path(
    path: NDArray[np.float64],
    from_s: float,
    resolution: float,
    left: int,
    low: int,
    blocked: NDArray[np.uint8],
    edge: int,
) -> tuple[float, float, float, float, float, float, bool]:
    """Progress and place of the farthest free point ahead, then of the last at all.

    Walks along the path (metres of the map) until it leaves the window; the flag
    tells whether it does. A progress of -1: no point is free.
    """
    size = blocked.shape[0]
    total = 0.0
    free_s, free_x, free_y = -1.0, 0.0, 0.0
    last_s, last_x, last_y = -1.0, 0.0, 0.0
    for i in range(path.shape[0] - 1):
        ex = path[i + 1, 0] - path[i, 0]
        ey = path[i + 1, 1] - path[i, 1]
        length = math.sqrt(ex * ex + ey * ey)
        if length == 0.0:
            continue
        if total + length < from_s:
            total += length
            continue
        steps = int(length / (0.7 * resolution)) + 1
        for k in range(steps + 1):
            s = total + length * k / steps
            if s < from_s:
                continue
            x = path[i, 0] + ex * k / steps
            y = path[i, 1] + ey * k / steps
            column = math.floor(x / resolution) - left
            row = math.floor(y / resolution) - low
            if not (edge <= column < size - edge and edge <= row < size - edge):
                return free_s, free_x, free_y, last_s, last_x, last_y, True
            last_s, last_x, last_y = s, x, y
            if blocked[row, column] == 0:
                free_s, free_x, free_y = s, x, y
        total += length
    return free_s, free_x, free_y, last_s, last_x, last_y, False
