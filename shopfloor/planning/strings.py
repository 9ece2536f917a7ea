"""Pulling a path tight like a string, around the corners it already goes around.

Searches over cells bend at centres, half a cell off the corners and now and then at
a place where no bend is needed. The string keeps to the same side of every obstacle
and so stays as safe; each new piece is looked along before it replaces an old one.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.sight import sees

OFFSET_CELLS = 0.125
"""How far outside a corner, along both axes, paths bend around it."""
PASSES = 12
ROOM = 64
"""Corners between two neighbouring bends; with more the bend stays as it is."""


@kernel
def pulled(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    points: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float]:
    """Points of padded cells in, points and their length out; never longer."""
    size = points.shape[0]
    xy = np.empty((size + ROOM, 2), np.float64)
    xy[:size] = points
    hull = np.empty((ROOM + 2, 2), np.float64)
    for _ in range(PASSES):
        moved = False
        i = 1
        while i < size - 1:
            count = _around(run_x, stride, xy[i - 1], xy[i], xy[i + 1], hull)
            if count < 0 or size - 1 + count > xy.shape[0]:
                i += 1
                continue
            old = _far(xy[i - 1], xy[i]) + _far(xy[i], xy[i + 1])
            new = 0.0
            clear = True
            for k in range(count + 1):
                new += _far(hull[k], hull[k + 1])
                clear = clear and sees(
                    run_x,
                    run_y,
                    stride,
                    hull[k, 0],
                    hull[k, 1],
                    hull[k + 1, 0],
                    hull[k + 1, 1],
                )
            if not clear or new > old - 1e-9:
                i += 1
                continue
            tail = xy[i + 1 : size].copy()
            xy[i : i + count] = hull[1 : count + 1]
            xy[i + count : i + count + tail.shape[0]] = tail
            size += count - 1
            i += max(count, 1)
            moved = True
        if not moved:
            break
    length = 0.0
    for k in range(1, size):
        length += _far(xy[k - 1], xy[k])
    return xy[:size].copy(), length


@kernel
def _far(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    dx = a[0] - b[0]
    dy = a[1] - b[1]
    return float(np.sqrt(dx * dx + dy * dy))


@kernel
def _around(
    run_x: NDArray[np.int32],
    stride: int,
    a: NDArray[np.float64],
    v: NDArray[np.float64],
    b: NDArray[np.float64],
    hull: NDArray[np.float64],
) -> int:
    """The string from a to b that stays on the bend's side of every corner.

    Fills ``hull`` from a to b and returns how many corners are between them, or -1.
    """
    ux = b[0] - a[0]
    uy = b[1] - a[1]
    side = ux * (v[1] - a[1]) - uy * (v[0] - a[0])
    hull[0] = a
    hull[1] = b
    if abs(side) < 1e-12:
        return 0
    sign = 1.0 if side > 0.0 else -1.0
    along = np.empty(ROOM, np.float64)
    found = np.empty((ROOM, 2), np.float64)
    count = 0
    low = int(np.ceil(min(a[1], v[1], b[1])))
    high = int(max(a[1], v[1], b[1]))
    for y in range(low, high + 1):
        left, right = _reach(a, v, b, float(y))
        for x in range(int(np.ceil(left)), int(right) + 1):
            cell = y * stride + x
            sw = run_x[cell - stride - 1] == 0
            se = run_x[cell - stride] == 0
            nw = run_x[cell - 1] == 0
            ne = run_x[cell] == 0
            if int(sw) + int(se) + int(nw) + int(ne) != 1:
                continue
            # The corner itself decides; its node may lie just outside the triangle.
            if sign * (ux * (y - a[1]) - uy * (x - a[0])) < 0.0:
                continue
            to_v = (v[0] - a[0]) * (y - a[1]) - (v[1] - a[1]) * (x - a[0])
            from_v = (b[0] - v[0]) * (y - v[1]) - (b[1] - v[1]) * (x - v[0])
            if sign * to_v > 0.0 or sign * from_v > 0.0:
                continue
            px = x + (OFFSET_CELLS if sw or nw else -OFFSET_CELLS)
            py = y + (OFFSET_CELLS if sw or se else -OFFSET_CELLS)
            if count == ROOM:
                return -1
            t = ux * px + uy * py
            k = count
            while k > 0 and along[k - 1] > t:
                along[k] = along[k - 1]
                found[k] = found[k - 1]
                k -= 1
            along[k] = t
            found[k, 0] = px
            found[k, 1] = py
            count += 1
    size = 1
    for k in range(count + 1):
        px = found[k, 0] if k < count else b[0]
        py = found[k, 1] if k < count else b[1]
        while size > 1:
            ex = px - hull[size - 2, 0]
            ey = py - hull[size - 2, 1]
            fx = hull[size - 1, 0] - hull[size - 2, 0]
            fy = hull[size - 1, 1] - hull[size - 2, 1]
            if sign * (ex * fy - ey * fx) > 0.0:
                break
            size -= 1
        hull[size, 0] = px
        hull[size, 1] = py
        size += 1
    return size - 2


@kernel
def _reach(
    a: NDArray[np.float64],
    v: NDArray[np.float64],
    b: NDArray[np.float64],
    y: float,
) -> tuple[float, float]:
    """From where to where the triangle reaches at this height."""
    left = np.inf
    right = -np.inf
    for p, q in ((a, v), (v, b), (b, a)):
        if y < min(p[1], q[1]) or y > max(p[1], q[1]):
            continue
        rise = q[1] - p[1]
        if abs(rise) < 1e-9:
            left = min(left, p[0], q[0])
            right = max(right, p[0], q[0])
        else:
            x = p[0] + (q[0] - p[0]) * (y - p[1]) / rise
            left = min(left, x)
            right = max(right, x)
    return left - 1e-9, right + 1e-9
