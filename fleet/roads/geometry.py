"""Distances in the plane, and walls that are quick to find near a line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fleet.model.world import Point, Wall

BUCKET_M = 2.0


def to_segment(
    px: float, py: float, x1: float, y1: float, x2: float, y2: float
) -> float:
    """Distance of a point from a segment."""
    dx, dy = x2 - x1, y2 - y1
    length2 = dx * dx + dy * dy
    if length2 == 0.0:
        return math.hypot(px - x1, py - y1)
    t = ((px - x1) * dx + (py - y1) * dy) / length2
    t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
    return math.hypot(px - x1 - t * dx, py - y1 - t * dy)


def _side(a: Wall, px: float, py: float) -> float:
    return (a[2] - a[0]) * (py - a[1]) - (a[3] - a[1]) * (px - a[0])


def cross(a: Wall, b: Wall) -> bool:
    """Do two segments cross in a point inside both?"""
    s1, s2 = _side(a, b[0], b[1]), _side(a, b[2], b[3])
    if s1 * s2 >= 0.0:
        return False
    return _side(b, a[0], a[1]) * _side(b, a[2], a[3]) < 0.0


def between(a: Wall, b: Wall) -> float:
    """Distance of two segments."""
    if cross(a, b):
        return 0.0
    return min(
        to_segment(a[0], a[1], *b),
        to_segment(a[2], a[3], *b),
        to_segment(b[0], b[1], *a),
        to_segment(b[2], b[3], *a),
    )


def inside(x_m: float, y_m: float, corners: Sequence[Point]) -> bool:
    """Is a point inside a polygon?"""
    found = False
    x1, y1 = corners[-1]
    for x2, y2 in corners:
        if (y1 > y_m) != (y2 > y_m) and x_m < x1 + (y_m - y1) * (x2 - x1) / (y2 - y1):
            found = not found
        x1, y1 = x2, y2
    return found


def touches(line: Wall, corners: Sequence[Point], within_m: float) -> bool:
    """Does a line come nearer to a polygon than this?"""
    if inside(line[0], line[1], corners) or inside(line[2], line[3], corners):
        return True
    x1, y1 = corners[-1]
    for x2, y2 in corners:
        if between(line, (x1, y1, x2, y2)) < within_m:
            return True
        x1, y1 = x2, y2
    return False


class Walls:
    """Walls in buckets: which come nearer to a line than a radius."""

    def __init__(self, walls: Iterable[Wall], radius_m: float) -> None:
        self._radius_m = radius_m
        self._buckets: dict[tuple[int, int], list[Wall]] = {}
        reach_m = radius_m + BUCKET_M / 2
        for wall in walls:
            left = math.floor((min(wall[0], wall[2]) - reach_m) / BUCKET_M)
            right = math.floor((max(wall[0], wall[2]) + reach_m) / BUCKET_M)
            low = math.floor((min(wall[1], wall[3]) - reach_m) / BUCKET_M)
            high = math.floor((max(wall[1], wall[3]) + reach_m) / BUCKET_M)
            for column in range(left, right + 1):
                for row in range(low, high + 1):
                    self._buckets.setdefault((column, row), []).append(wall)

    def clear_at(self, x_m: float, y_m: float) -> bool:
        key = (math.floor(x_m / BUCKET_M), math.floor(y_m / BUCKET_M))
        return all(
            to_segment(x_m, y_m, *wall) >= self._radius_m
            for wall in self._buckets.get(key, ())
        )

    def clear(
        self, x1: float, y1: float, x2: float, y2: float, *, but_ends: bool = False
    ) -> bool:
        """May a disc of the radius drive along the line?

        ``but_ends``: walls that begin at an end of the line do not count.
        """
        line = (x1, y1, x2, y2)
        radius_m = self._radius_m
        left, right = (x1, x2) if x1 < x2 else (x2, x1)
        low, high = (y1, y2) if y1 < y2 else (y2, y1)
        left, right = left - radius_m, right + radius_m
        low, high = low - radius_m, high + radius_m
        steps = max(1, math.ceil(math.hypot(x2 - x1, y2 - y1)))
        last = None
        for step in range(steps + 1):
            x = x1 + (x2 - x1) * step / steps
            y = y1 + (y2 - y1) * step / steps
            key = (math.floor(x / BUCKET_M), math.floor(y / BUCKET_M))
            if key == last:
                continue
            last = key
            for wall in self._buckets.get(key, ()):
                wx1, wy1, wx2, wy2 = wall
                if (wx1 > right and wx2 > right) or (wx1 < left and wx2 < left):
                    continue
                if (wy1 > high and wy2 > high) or (wy1 < low and wy2 < low):
                    continue
                if but_ends and (wx1, wy1) in ((x1, y1), (x2, y2)):
                    continue
                if between(line, wall) < radius_m:
                    return False
        return True
