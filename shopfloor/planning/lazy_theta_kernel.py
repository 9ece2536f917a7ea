"""Lazy Theta*, line by line as in its published form (Nash, Koenig and Tovey).

A vertex is believed to see the parent of the one it was reached from; the belief is
checked once, when the vertex is taken from the open list. With a cost weight of 0
and a goal weight of 1 this is the plain algorithm.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.sight import cells_see
from shopfloor.planning.heap import doubled, drop_top, push

NOWHERE = -1
"""As a goal: search the whole map. As an answer: the goal was not found."""


@kernel
def edge(dx: float, dy: float, mean_nearness: float, cost_weight: float) -> float:
    """Length, made longer by how near its two ends are to obstacles."""
    return float(np.sqrt(dx * dx + dy * dy) * (1.0 + cost_weight * mean_nearness))


@kernel
def lazy_theta(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    start: int,
    goal: int,
    nearness: NDArray[np.float32],
    cost_weight: float,
    goal_weight: float,
    sight_limit: float,
    cost: NDArray[np.float64],
    parent: NDArray[np.int32],
    stamp: NDArray[np.int32],
    opened: int,
) -> tuple[int, int, int]:
    """Returns the cell reached (or NOWHERE), the expansions and the sight checks.

    ``nearness`` may be empty if the cost weight is 0. ``parent`` then leads from the
    goal to the start, whose parent is itself.
    """
    closed = opened + 1
    keys = np.empty(4096, np.float64)
    items = np.empty(4096, np.int32)
    steps = (1, -1, stride, -stride, stride + 1, stride - 1, 1 - stride, -1 - stride)
    across = (1, -1, 0, 0, 1, -1, 1, -1)
    along = (0, 0, 1, -1, 1, 1, -1, -1)
    weighted = cost_weight > 0.0
    limit_squared = sight_limit * sight_limit
    goal_x = goal % stride
    goal_y = goal // stride
    cost[start] = 0.0
    parent[start] = start
    stamp[start] = opened
    size = push(keys, items, 0, 0.0, start)
    expansions = 0
    checks = 0
    while size > 0:
        s = items[0]
        size = drop_top(keys, items, size)
        if stamp[s] == closed:
            continue
        expansions += 1
        y = s // stride
        x = s - y * stride
        east = run_x[s + 1] > 0
        west = run_x[s - 1] > 0
        north = run_x[s + stride] > 0
        south = run_x[s - stride] > 0
        visible = (
            east,
            west,
            north,
            south,
            north and east and run_x[s + stride + 1] > 0,
            north and west and run_x[s + stride - 1] > 0,
            south and east and run_x[s - stride + 1] > 0,
            south and west and run_x[s - stride - 1] > 0,
        )
        # SetVertex
        p = parent[s]
        py = p // stride
        px = p - py * stride
        if s != start:
            checks += 1
            away = (x - px) * (x - px) + (y - py) * (y - py)
            if away > limit_squared or not cells_see(
                run_x, run_y, stride, px, py, x, y
            ):
                best = np.inf
                for i in range(8):
                    n = s + steps[i]
                    if visible[i] and stamp[n] == closed:
                        mean = 0.5 * (nearness[n] + nearness[s]) if weighted else 0.0
                        side = 1.0 if i >= 4 else 0.0
                        through = cost[n] + edge(1.0, side, mean, cost_weight)
                        if through < best:
                            best = through
                            p = n
                cost[s] = best
                parent[s] = p
                py = p // stride
                px = p - py * stride
        if s == goal:
            return s, expansions, checks
        stamp[s] = closed
        if size + 8 > keys.size:
            keys, items = doubled(keys, items)
        base = cost[p]
        for i in range(8):
            if not visible[i]:
                continue
            n = s + steps[i]
            state = stamp[n]
            if state == closed:
                continue
            # UpdateVertex with ComputeCost: path 2, over the parent of s
            nx = x + across[i]
            ny = y + along[i]
            mean = 0.5 * (nearness[p] + nearness[n]) if weighted else 0.0
            through = base + edge(float(nx - px), float(ny - py), mean, cost_weight)
            if state != opened or through < cost[n]:
                stamp[n] = opened
                cost[n] = through
                parent[n] = p
                key = through
                if goal >= 0:
                    hx = float(goal_x - nx)
                    hy = float(goal_y - ny)
                    key += goal_weight * np.sqrt(hx * hx + hy * hy)
                size = push(keys, items, size, key, n)
    return NOWHERE, expansions, checks
