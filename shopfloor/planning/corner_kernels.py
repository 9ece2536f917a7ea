"""The corner graph's array work: find corners, join them, search among them.

A shortest path bends at convex corners of obstacles and nowhere else. Each such
corner gets a node a small offset outside it, so paths bend around obstacles without
touching them. Among paths that keep that offset the graph holds the shortest.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.sight import sees
from shopfloor.planning.heap import drop_top, push


@kernel
def find_corners(
    blocked: NDArray[np.uint8], stride: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points where exactly one of four cells is blocked, and the way out of it."""
    rows = blocked.size // stride
    count = 0
    for counting in (True, False):
        if not counting:
            at = np.empty((2, count), np.float64)
            out = np.empty((2, count), np.float64)
            count = 0
        for y in range(1, rows):
            for x in range(1, stride):
                cell = y * stride + x
                sw = blocked[cell - stride - 1]
                se = blocked[cell - stride]
                nw = blocked[cell - 1]
                ne = blocked[cell]
                if sw + se + nw + ne != 1:
                    continue
                if not counting:
                    at[0, count] = x
                    at[1, count] = y
                    out[0, count] = 1.0 if sw or nw else -1.0
                    out[1, count] = 1.0 if sw or se else -1.0
                count += 1
    return at, out


@kernel
def bends(ex: float, ey: float, out_x: float, out_y: float) -> bool:
    """Can a shortest path leave this corner along (ex, ey) and bend at it."""
    return not (ex * out_x > 0.0 and ey * out_y > 0.0)


@kernel
def enters(ex: float, ey: float, out_x: float, out_y: float) -> bool:
    """Does (ex, ey) lead from the corner's node straight into its own cell."""
    a = -ex * out_x
    b = -ey * out_y
    return a > 0.0 and b > 0.0 and a < 4.0 * b and b < 4.0 * a and a > 1.0 and b > 1.0


@kernel
def join_corners(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    node: NDArray[np.float64],
    out: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Neighbour lists: where each node's list begins, who is in it, how far."""
    count = node.shape[1]
    capacity = 16 * count + 16
    ends = np.empty((capacity, 2), np.int32)
    found = 0
    degree = np.zeros(count + 1, np.int64)
    for a in range(count):
        ax = node[0, a]
        ay = node[1, a]
        aox = out[0, a]
        aoy = out[1, a]
        for b in range(a + 1, count):
            ex = node[0, b] - ax
            ey = node[1, b] - ay
            if not bends(ex, ey, aox, aoy) or enters(ex, ey, aox, aoy):
                continue
            box = out[0, b]
            boy = out[1, b]
            if not bends(-ex, -ey, box, boy) or enters(-ex, -ey, box, boy):
                continue
            if not sees(run_x, run_y, stride, ax, ay, node[0, b], node[1, b]):
                continue
            if found == capacity:
                more = np.empty((2 * capacity, 2), np.int32)
                more[:capacity] = ends
                ends = more
                capacity *= 2
            ends[found, 0] = a
            ends[found, 1] = b
            found += 1
            degree[a + 1] += 1
            degree[b + 1] += 1
    begins = np.cumsum(degree)
    filled = begins[:-1].copy()
    neighbour = np.empty(2 * found, np.int32)
    length = np.empty(2 * found, np.float64)
    for i in range(found):
        a = ends[i, 0]
        b = ends[i, 1]
        dx = node[0, a] - node[0, b]
        dy = node[1, a] - node[1, b]
        far = np.sqrt(dx * dx + dy * dy)
        neighbour[filled[a]] = b
        length[filled[a]] = far
        filled[a] += 1
        neighbour[filled[b]] = a
        length[filled[b]] = far
        filled[b] += 1
    return begins, neighbour, length


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
    x0: float,
    y0: float,
    x1: float,
    y1: float,
) -> tuple[NDArray[np.float64], float, int, int]:
    """Points (none if there is no way), length, expansions, sight checks.

    A* whose first and last hops are believed to see and checked when their turn
    comes. An item below ``count`` is a node, from ``count`` on the start's hop to
    the node, from ``2 * count`` on the node's hop to the goal.
    """
    count = node.shape[1]
    checks = 1
    if sees(run_x, run_y, stride, x0, y0, x1, y1):
        xy = np.array([[x0, y0], [x1, y1]])
        return xy, np.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2), 0, checks
    cost = np.full(count, np.inf)
    rest = np.empty(count, np.float64)
    first_hop = np.empty(count, np.float64)
    detour = np.empty(count, np.float64)
    parent = np.full(count, -1, np.int32)
    done = np.zeros(count, np.uint8)
    # Every first hop, last hop and edge enters at most once.
    keys = np.empty(2 * count + neighbour.size, np.float64)
    items = np.empty(2 * count + neighbour.size, np.int32)
    size = 0
    xs = node[0]
    ys = node[1]
    out_xs = out[0]
    out_ys = out[1]
    for v in range(count):
        dx = x0 - xs[v]
        dy = y0 - ys[v]
        hx = x1 - xs[v]
        hy = y1 - ys[v]
        rest[v] = np.sqrt(hx * hx + hy * hy)
        first_hop[v] = np.sqrt(dx * dx + dy * dy)
    for v in range(count):
        ex = x0 - xs[v]
        ey = y0 - ys[v]
        if bends(ex, ey, out_xs[v], out_ys[v]) and not enters(
            ex, ey, out_xs[v], out_ys[v]
        ):
            detour[v] = first_hop[v] + rest[v]
        else:
            detour[v] = np.inf
    # First hops come into the heap in rings of growing detours: most never have to.
    direct = np.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
    ring = 0.0
    widening = 1.0 / 64.0
    expansions = 0
    while True:
        while ring < np.inf and (size == 0 or keys[0] > ring):
            inner = ring
            ring = np.inf if widening > 64.0 else direct * (1.0 + widening)
            widening *= 2.0
            for v in range(count):
                key = detour[v]
                if inner < key <= ring and key < np.inf:
                    size = push(keys, items, size, key, count + v)
        if size == 0:
            break
        key = keys[0]
        item = items[0]
        size = drop_top(keys, items, size)
        kind = item // count
        v = item - kind * count
        if kind == 2:
            checks += 1
            if not sees(run_x, run_y, stride, node[0, v], node[1, v], x1, y1):
                continue
            hops = 2
            at = v
            while at >= 0:
                hops += 1
                at = parent[at]
            xy = np.empty((hops, 2), np.float64)
            xy[0, 0] = x0
            xy[0, 1] = y0
            xy[hops - 1, 0] = x1
            xy[hops - 1, 1] = y1
            at = v
            for i in range(hops - 2, 0, -1):
                xy[i, 0] = node[0, at]
                xy[i, 1] = node[1, at]
                at = parent[at]
            return xy, key, expansions, checks
        if done[v]:
            continue
        if kind == 1:
            if first_hop[v] >= cost[v]:
                continue
            checks += 1
            if not sees(run_x, run_y, stride, x0, y0, node[0, v], node[1, v]):
                continue
            cost[v] = first_hop[v]
            parent[v] = -1
        done[v] = 1
        expansions += 1
        first = begins[v]
        last = begins[v + 1]
        ex = x1 - node[0, v]
        ey = y1 - node[1, v]
        if bends(ex, ey, out[0, v], out[1, v]) and not enters(
            ex, ey, out[0, v], out[1, v]
        ):
            size = push(keys, items, size, cost[v] + rest[v], 2 * count + v)
        for i in range(first, last):
            w = neighbour[i]
            through = cost[v] + length[i]
            if not done[w] and through < cost[w]:
                cost[w] = through
                parent[w] = v
                size = push(keys, items, size, through + rest[w], w)
    return np.empty((0, 2), np.float64), 0.0, expansions, checks
