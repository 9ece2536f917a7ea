"""Rays against segments and discs: what moves or is not on any map.

Boxes and doors are segments, legs of people are discs. Ends of segments count, so two
walls that share a corner leave no gap.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

TOUCH_M = 1e-9


@kernel
def _to_segment(
    ax: float, ay: float, bx: float, by: float, dx: float, dy: float
) -> float:
    """From the origin along a unit direction to a segment, infinite if missed."""
    ex, ey = bx - ax, by - ay
    length = math.sqrt(ex * ex + ey * ey)
    across = dx * ey - dy * ex
    if abs(across) <= 1e-12 * max(length, 1e-12):
        # Parallel, or a segment without length: only straight ahead counts.
        if abs(ax * dy - ay * dx) > TOUCH_M:
            return math.inf
        first, second = ax * dx + ay * dy, bx * dx + by * dy
        near, far = min(first, second), max(first, second)
        if far < -TOUCH_M:
            return math.inf
        return max(near, 0.0)
    along = (ax * ey - ay * ex) / across
    share = (ax * dy - ay * dx) / across
    slack = TOUCH_M / length
    if along < -TOUCH_M or share < -slack or share > 1.0 + slack:
        return math.inf
    return max(along, 0.0)


@kernel
def _to_disc(x: float, y: float, radius: float, dx: float, dy: float) -> float:
    ahead = x * dx + y * dy
    beside = x * dy - y * dx
    inside = radius * radius - beside * beside
    if x * x + y * y <= radius * radius:
        return 0.0
    if ahead < 0.0 or inside < 0.0:
        return math.inf
    return max(ahead - math.sqrt(inside), 0.0)


@kernel
def cast_on_shapes(
    segments: NDArray[np.float64],
    discs: NDArray[np.float64],
    x: float,
    y: float,
    yaw: float,
    angles: NDArray[np.float64],
    ranges: NDArray[np.float64],
) -> None:
    """Shorten ranges to the nearest shape, every beam against every shape."""
    for beam in range(angles.size):
        dx, dy = math.cos(yaw + angles[beam]), math.sin(yaw + angles[beam])
        least = ranges[beam]
        for s in range(segments.shape[0]):
            ax, ay = segments[s, 0] - x, segments[s, 1] - y
            bx, by = segments[s, 2] - x, segments[s, 3] - y
            least = min(least, _to_segment(ax, ay, bx, by, dx, dy))
        for d in range(discs.shape[0]):
            there = _to_disc(discs[d, 0] - x, discs[d, 1] - y, discs[d, 2], dx, dy)
            least = min(least, there)
        ranges[beam] = least


@kernel
def sweep_shapes(
    segments: NDArray[np.float64],
    discs: NDArray[np.float64],
    x: float,
    y: float,
    yaw: float,
    angle_min: float,
    angle_step: float,
    ranges: NDArray[np.float64],
) -> None:
    """The same for evenly spread beams: only those that can meet a shape are tried."""
    count = ranges.size
    slack = 1e-7
    for shape in range(segments.shape[0] + discs.shape[0]):
        ax, ay, bx, by, radius = 0.0, 0.0, 0.0, 0.0, 0.0
        is_disc = shape >= segments.shape[0]
        if is_disc:
            d = shape - segments.shape[0]
            ax, ay, radius = discs[d, 0] - x, discs[d, 1] - y, discs[d, 2]
            away = math.sqrt(ax * ax + ay * ay)
            half = math.asin(radius / away) if away > radius else math.pi
            middle = math.atan2(ay, ax)
            low, high = middle - half, middle + half
        else:
            ax, ay = segments[shape, 0] - x, segments[shape, 1] - y
            bx, by = segments[shape, 2] - x, segments[shape, 3] - y
            low = math.atan2(ay, ax)
            turn = math.atan2(by, bx) - low
            turn -= math.tau * np.round(turn / math.tau)
            if (
                math.pi - abs(turn) < 1e-6
                or min(ax * ax + ay * ay, bx * bx + by * by) < 1e-12
            ):
                # The laser stands on the segment: no direction can be left out.
                low, high = -math.pi, math.pi
            else:
                low, high = min(low, low + turn), max(low, low + turn)
        low -= yaw + angle_min + slack
        high -= yaw + angle_min - slack
        shift = math.floor(high / math.tau) * math.tau
        low, high = low - shift, high - shift
        # Now 0 <= high < tau; the beams may reach round a whole turn and more.
        while low <= count * angle_step:
            first = max(math.ceil(low / angle_step), 0)
            last = min(math.floor(high / angle_step), count - 1)
            for beam in range(first, last + 1):
                angle = yaw + angle_min + beam * angle_step
                dx, dy = math.cos(angle), math.sin(angle)
                if is_disc:
                    there = _to_disc(ax, ay, radius, dx, dy)
                else:
                    there = _to_segment(ax, ay, bx, by, dx, dy)
                ranges[beam] = min(ranges[beam], there)
            low += math.tau
            high += math.tau
