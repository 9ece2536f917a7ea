"""A* and Dijkstra on the cells: eight neighbours, no corner cut.

The yardstick for the any-angle planners, and the plainest thing that works.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.planning.heap import doubled, drop_top, push
from shopfloor.planning.lazy_theta_kernel import NOWHERE

DIAGONAL = float(np.sqrt(2.0))


@kernel
def search_cells(
    run_x: NDArray[np.int32],
    stride: int,
    start: int,
    goal: int,
    goal_weight: float,
    cost: NDArray[np.float64],
    parent: NDArray[np.int32],
    stamp: NDArray[np.int32],
    opened: int,
) -> tuple[int, int]:
    """Goal weight 1 is A*, 0 is Dijkstra. Returns the cell reached, expansions."""
    closed = opened + 1
    keys = np.empty(4096, np.float64)
    items = np.empty(4096, np.int32)
    steps = (1, -1, stride, -stride, stride + 1, stride - 1, 1 - stride, -1 - stride)
    across = (1, -1, 0, 0, 1, -1, 1, -1)
    along = (0, 0, 1, -1, 1, 1, -1, -1)
    goal_x = goal % stride
    goal_y = goal // stride
    cost[start] = 0.0
    parent[start] = start
    stamp[start] = opened
    size = push(keys, items, 0, 0.0, start)
    expansions = 0
    while size > 0:
        s = items[0]
        size = drop_top(keys, items, size)
        if stamp[s] == closed:
            continue
        expansions += 1
        if s == goal:
            return s, expansions
        stamp[s] = closed
        y = s // stride
        x = s - y * stride
        if size + 8 > keys.size:
            keys, items = doubled(keys, items)
        east = run_x[s + 1] > 0
        west = run_x[s - 1] > 0
        north = run_x[s + stride] > 0
        south = run_x[s - stride] > 0
        passable = (
            east,
            west,
            north,
            south,
            north and east,
            north and west,
            south and east,
            south and west,
        )
        for i in range(8):
            n = s + steps[i]
            if not passable[i] or run_x[n] == 0 or stamp[n] == closed:
                continue
            through = cost[s] + (1.0 if i < 4 else DIAGONAL)
            if stamp[n] != opened or through < cost[n]:
                stamp[n] = opened
                cost[n] = through
                parent[n] = s
                dx = abs(goal_x - x - across[i])
                dy = abs(goal_y - y - along[i])
                rest = max(dx, dy) + (DIAGONAL - 1.0) * min(dx, dy)
                size = push(keys, items, size, through + goal_weight * rest, n)
    return NOWHERE, expansions
