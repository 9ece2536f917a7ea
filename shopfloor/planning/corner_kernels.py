"""The corner graph's array work: find corners and join them.

A shortest path bends at convex corners of obstacles and nowhere else. Each such
corner gets a node a small offset outside it, so paths bend around obstacles without
touching them. Among paths that keep that offset the graph holds the shortest.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.sight import sees


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
def turns(ex: float, ey: float, out_x: float, out_y: float) -> bool:
    """Is (ex, ey) a way from the corner's node that a shortest path may take."""
    return bends(ex, ey, out_x, out_y) and not enters(ex, ey, out_x, out_y)


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
            if not turns(ex, ey, aox, aoy):
                continue
            box = out[0, b]
            boy = out[1, b]
            if not turns(-ex, -ey, box, boy):
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
