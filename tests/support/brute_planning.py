"""Slow and simple answers to what the planners compute fast.

The answers work on plain Python numbers, exact where they say so, and share no code
with the planners.
"""

from __future__ import annotations

import heapq
import math
from itertools import pairwise
from typing import Any

import numpy as np

NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))


def blocked_at(cells: Any, x: int, y: int) -> bool:
    height, width = cells.shape
    return not (0 <= x < width and 0 <= y < height) or bool(cells[y, x])


def sees(cells: Any, a: Any, b: Any, scale: int = 2) -> bool:
    """Exact: whole numbers, ``scale`` to a cell; touching a blocked cell is seeing it.

    Cell (i, j) reaches from i * scale to (i + 1) * scale.
    """
    (x0, y0), (x1, y1) = a, b
    dx, dy = x1 - x0, y1 - y0
    for j in range(min(y0, y1) // scale - 1, max(y0, y1) // scale + 2):
        for i in range(min(x0, x1) // scale - 1, max(x0, x1) // scale + 2):
            if not blocked_at(cells, i, j):
                continue
            if max(x0, x1) < i * scale or min(x0, x1) > (i + 1) * scale:
                continue
            if max(y0, y1) < j * scale or min(y0, y1) > (j + 1) * scale:
                continue
            cross = dx * ((2 * j + 1) * scale - 2 * y0) - dy * (
                (2 * i + 1) * scale - 2 * x0
            )
            if abs(cross) <= scale * (abs(dx) + abs(dy)):
                return False
    return True


def centres_see(cells: Any, a: Any, b: Any) -> bool:
    return sees(
        cells, (2 * a[0] + 1, 2 * a[1] + 1), (2 * b[0] + 1, 2 * b[1] + 1), scale=2
    )


def visible_neighbours(cells: Any, cell: Any) -> list[tuple[int, int]]:
    x, y = cell
    return [
        (x + dx, y + dy)
        for dx, dy in NEIGHBOURS
        if not blocked_at(cells, x + dx, y + dy)
        and not blocked_at(cells, x + dx, y)
        and not blocked_at(cells, x, y + dy)
    ]


def shortest_walk(
    cells: Any, start: Any, goal: Any, straight: float = 1.0, diagonal: float = 2**0.5
) -> float:
    """Dijkstra over eight neighbours; infinite if there is no way."""
    if blocked_at(cells, *start) or blocked_at(cells, *goal):
        return math.inf
    best = {start: 0.0}
    queue = [(0.0, start)]
    while queue:
        far, cell = heapq.heappop(queue)
        if cell == goal:
            return far
        if far > best[cell]:
            continue
        for other in visible_neighbours(cells, cell):
            step = diagonal if other[0] != cell[0] and other[1] != cell[1] else straight
            if far + step < best.get(other, math.inf):
                best[other] = far + step
                heapq.heappush(queue, (far + step, other))
    return math.inf


def _passes(cells: Any, a: Any, b: Any, pinched: list[Any]) -> bool:
    """May a taut string touch: open squares block, and so do pinched corners.

    Whole numbers, two to a cell.
    """
    (x0, y0), (x1, y1) = a, b
    dx, dy = x1 - x0, y1 - y0
    for j in range(min(y0, y1) // 2 - 1, max(y0, y1) // 2 + 2):
        for i in range(min(x0, x1) // 2 - 1, max(x0, x1) // 2 + 2):
            if not blocked_at(cells, i, j):
                continue
            if max(x0, x1) <= 2 * i or min(x0, x1) >= 2 * i + 2:
                continue
            if max(y0, y1) <= 2 * j or min(y0, y1) >= 2 * j + 2:
                continue
            cross = dx * (2 * j + 1 - y0) - dy * (2 * i + 1 - x0)
            if abs(cross) < abs(dx) + abs(dy):
                return False
    if dx == 0 and x0 % 2 == 0:
        for j in range(min(y0, y1) // 2, (max(y0, y1) + 1) // 2):
            if blocked_at(cells, x0 // 2, j) and blocked_at(cells, x0 // 2 - 1, j):
                return False
    if dy == 0 and y0 % 2 == 0:
        for i in range(min(x0, x1) // 2, (max(x0, x1) + 1) // 2):
            if blocked_at(cells, i, y0 // 2) and blocked_at(cells, i, y0 // 2 - 1):
                return False
    return not any(
        dx * (py - y0) == dy * (px - x0)
        and min(x0, x1) <= px <= max(x0, x1)
        and min(y0, y1) <= py <= max(y0, y1)
        for px, py in pinched
    )


def shortest_string(cells: Any, start: Any, goal: Any) -> float:
    """The true optimum between two cell centres: a string pulled tight."""
    height, width = cells.shape
    corners, pinched = [], []
    for y in range(height + 1):
        for x in range(width + 1):
            around = [blocked_at(cells, x - i, y - j) for j in (1, 0) for i in (1, 0)]
            if sum(around) == 1:
                corners.append((2 * x, 2 * y))
            elif sum(around) == 2 and around[0] == around[3]:
                pinched.append((2 * x, 2 * y))
    first = (2 * start[0] + 1, 2 * start[1] + 1)
    last = (2 * goal[0] + 1, 2 * goal[1] + 1)
    best = {first: 0.0}
    queue = [(0.0, first)]
    while queue:
        far, point = heapq.heappop(queue)
        if point == last:
            return far / 2.0
        if far > best[point]:
            continue
        for other in [*corners, last]:
            longer = far + math.dist(point, other)
            if longer < best.get(other, math.inf) - 1e-12 and _passes(
                cells, point, other, pinched
            ):
                best[other] = longer
                heapq.heappush(queue, (longer, other))
    return math.inf


def algorithm_1(
    cells: Any,
    start: Any,
    goal: Any,
    nearness: Any = None,
    cost_weight: float = 0.0,
    goal_weight: float = 1.0,
    sight_limit: float = math.inf,
    eager: bool = False,
) -> tuple[list[tuple[int, int]], int]:
    """Lazy Theta* transcribed line by line with sets; eager: plain Theta*.

    Returns the cells of the path (none if there is none) and the sight checks.
    """
    width = cells.shape[1]

    def number(s: Any) -> int:
        return int((s[1] + 1) * (width + 2) + s[0] + 1)

    def c(a: Any, b: Any) -> float:
        dx, dy = float(b[0] - a[0]), float(b[1] - a[1])
        mean = 0.0
        if cost_weight > 0.0:
            mean = 0.5 * float(nearness[a[1], a[0]] + nearness[b[1], b[0]])
        return math.sqrt(dx * dx + dy * dy) * (1.0 + cost_weight * mean)

    def h(s: Any) -> float:
        dx, dy = float(goal[0] - s[0]), float(goal[1] - s[1])
        return goal_weight * math.sqrt(dx * dx + dy * dy)

    checks = 0

    def line_of_sight(a: Any, b: Any) -> bool:
        nonlocal checks
        checks += 1
        return math.dist(a, b) <= sight_limit and centres_see(cells, a, b)

    opened: dict[Any, float] = {start: 0.0}
    closed: set[Any] = set()
    g = {start: 0.0}
    parent = {start: start}
    while opened:
        s = min(opened, key=lambda cell: (opened[cell], number(cell)))
        del opened[s]
        seen = visible_neighbours(cells, s)
        if not eager and s != start and not line_of_sight(parent[s], s):
            around = [n for n in seen if n in closed]
            parent[s] = min(around, key=lambda n: g[n] + c(n, s))
            g[s] = g[parent[s]] + c(parent[s], s)
        if s == goal:
            way = [s]
            while parent[way[-1]] != way[-1]:
                way.append(parent[way[-1]])
            return way[::-1], checks
        closed.add(s)
        for n in seen:
            if n in closed:
                continue
            via = parent[s]
            if eager and not line_of_sight(via, n):
                via = s
            if n not in opened or g[via] + c(via, n) < g[n]:
                g[n] = g[via] + c(via, n)
                parent[n] = via
                opened[n] = g[n] + h(n)
    return [], checks


def least_distance(cells: Any, xy: Any) -> float:
    """From a polyline to the nearest blocked square, both in cells, by sampling.

    Sampled finely, so too large by at most a twentieth of a cell.
    """
    rows, columns = np.nonzero(cells)
    least = math.inf
    for a, b in pairwise(xy):
        count = max(2, int(math.dist(a, b) * 20))
        for t in np.linspace(0.0, 1.0, count):
            x, y = a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
            dx = np.maximum(np.maximum(columns - x, x - columns - 1), 0.0)
            dy = np.maximum(np.maximum(rows - y, y - rows - 1), 0.0)
            least = min(least, float(np.sqrt(dx * dx + dy * dy).min()))
    return least


def random_cells(seed: int, width: int, height: int, share: float) -> Any:
    return np.random.default_rng(seed).random((height, width)) < share


def free_pairs(cells: Any, seed: int, count: int) -> list[Any]:
    """Pairs of free cells as (column, row)."""
    random = np.random.default_rng(seed)
    free = [(int(x), int(y)) for y, x in np.argwhere(cells == 0)]
    return [
        (free[random.integers(len(free))], free[random.integers(len(free))])
        for _ in range(count)
    ]
