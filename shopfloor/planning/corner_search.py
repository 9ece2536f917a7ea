"""The search among joined corners: one call from two points to a path.

A shortest path leaves its start for a corner it sees, goes from corner to corner and
comes to its goal from a corner that sees it, unless start and goal see each other.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.sight import sees
from shopfloor.planning.corner_kernels import turns
from shopfloor.planning.heap import doubled, drop_top, push

OPEN = 1
CLOSED = 2
NO_CORNER = -1


@kernel
def search_corners(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    node: NDArray[np.float64],
    out: NDArray[np.float64],
    begins: NDArray[np.int64],
    neighbour: NDArray[np.int32],
    length: NDArray[np.float64],
    view_begins: NDArray[np.int32],
    view: NDArray[np.int32],
    bits: int,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    unit: float,
    left: float,
    bottom: float,
) -> tuple[NDArray[np.float64], float, int, int]:
    """Points (none if there is no way), length in cells, expansions, sight checks.

    Points come back in the given unit from the given origin. A* whose first and last
    hops are believed to see and checked when their turn comes. An item below
    ``count`` is a node, from ``count`` on the start's hop to the node, from
    ``2 * count`` on the node's hop to the goal.
    """
    checks = 1
    direct = np.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
    if sees(run_x, run_y, stride, x0, y0, x1, y1):
        xy = np.empty((2, 2), np.float64)
        _put(xy, 0, x0, y0, unit, left, bottom)
        _put(xy, 1, x1, y1, unit, left, bottom)
        return xy, direct, 0, checks
    count = node.shape[1]
    xs = node[0]
    ys = node[1]
    out_xs = out[0]
    out_ys = out[1]
    across = (stride >> bits) + 1
    here = (int(y0) >> bits) * across + (int(x0) >> bits)
    there = (int(y1) >> bits) * across + (int(x1) >> bits)
    of_goal = view[view_begins[there] : view_begins[there + 1]]
    cost = np.empty(count, np.float64)
    parent = np.empty(count, np.int32)
    state = np.zeros(count, np.uint8)
    keys = np.empty(1024, np.float64)
    items = np.empty(1024, np.int32)
    size = 0
    of_start = view[view_begins[here] : view_begins[here + 1]]
    detour = np.empty(of_start.size, np.float64)
    for i in range(of_start.size):
        v = of_start[i]
        detour[i] = _far(x0, y0, xs[v], ys[v]) + _far(xs[v], ys[v], x1, y1)
    # First hops come into the heap in rings of growing detours: most never have to.
    ring = 0.0
    widening = 1.0 / 64.0
    expansions = 0
    while True:
        while ring < np.inf and (size == 0 or keys[0] > ring):
            inner = ring
            ring = np.inf if widening > 64.0 else direct * (1.0 + widening)
            widening *= 2.0
            for i in range(of_start.size):
                key = detour[i]
                if not inner < key <= ring:
                    continue
                v = of_start[i]
                if not turns(x0 - xs[v], y0 - ys[v], out_xs[v], out_ys[v]):
                    continue
                if size == keys.size:
                    keys, items = doubled(keys, items)
                size = push(keys, items, size, key, count + v)
        if size == 0:
            break
        key = keys[0]
        item = items[0]
        size = drop_top(keys, items, size)
        kind = item // count
        v = item - kind * count
        x = xs[v]
        y = ys[v]
        if kind == 2:
            checks += 1
            if not sees(run_x, run_y, stride, x, y, x1, y1):
                continue
            hops = 2
            at = v
            while at != NO_CORNER:
                hops += 1
                at = parent[at]
            xy = np.empty((hops, 2), np.float64)
            _put(xy, 0, x0, y0, unit, left, bottom)
            _put(xy, hops - 1, x1, y1, unit, left, bottom)
            at = v
            for i in range(hops - 2, 0, -1):
                _put(xy, i, xs[at], ys[at], unit, left, bottom)
                at = parent[at]
            return xy, key, expansions, checks
        if state[v] == CLOSED:
            continue
        if kind == 1:
            hop = _far(x0, y0, x, y)
            if state[v] == OPEN and hop >= cost[v]:
                continue
            checks += 1
            if not sees(run_x, run_y, stride, x0, y0, x, y):
                continue
            cost[v] = hop
            parent[v] = NO_CORNER
        state[v] = CLOSED
        expansions += 1
        first = begins[v]
        last = begins[v + 1]
        while size + last - first >= keys.size:
            keys, items = doubled(keys, items)
        so_far = cost[v]
        ex = x1 - x
        ey = y1 - y
        if turns(ex, ey, out_xs[v], out_ys[v]) and _holds(of_goal, v):
            rest = np.sqrt(ex * ex + ey * ey)
            size = push(keys, items, size, so_far + rest, 2 * count + v)
        for i in range(first, last):
            w = neighbour[i]
            through = so_far + length[i]
            if state[w] == CLOSED or (state[w] == OPEN and through >= cost[w]):
                continue
            state[w] = OPEN
            cost[w] = through
            parent[w] = v
            size = push(keys, items, size, through + _far(xs[w], ys[w], x1, y1), w)
    return np.empty((0, 2), np.float64), 0.0, expansions, checks


@kernel
def _far(ax: float, ay: float, bx: float, by: float) -> float:
    dx = bx - ax
    dy = by - ay
    return float(np.sqrt(dx * dx + dy * dy))


@kernel
def _holds(rising: NDArray[np.int32], wanted: int) -> bool:
    low = 0
    high = rising.size
    while low < high:
        middle = (low + high) >> 1
        if rising[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < rising.size and rising[low] == wanted


@kernel
def _put(
    xy: NDArray[np.float64],
    i: int,
    x: float,
    y: float,
    unit: float,
    left: float,
    bottom: float,
) -> None:
    xy[i, 0] = x * unit + left
    xy[i, 1] = y * unit + bottom
