"""Exact distances between a hull and what it must not touch.

A hull is a disc or a rectangle; walls are the squares of the map, boxes are
quadrangles, people are discs. Below or equal to zero means contact.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

Floats = NDArray[np.float64]


@kernel
def point_to_segment(
    px: float, py: float, ax: float, ay: float, bx: float, by: float
) -> float:
    ex, ey = bx - ax, by - ay
    square = ex * ex + ey * ey
    share = 0.0
    if square > 0.0:
        share = min(max(((px - ax) * ex + (py - ay) * ey) / square, 0.0), 1.0)
    return math.sqrt((px - ax - share * ex) ** 2 + (py - ay - share * ey) ** 2)


@kernel
def point_to_quad(px: float, py: float, quad: Floats) -> float:
    """0 inside; corners run anticlockwise."""
    inside = True
    nearest = math.inf
    for i in range(4):
        ax, ay = quad[i, 0], quad[i, 1]
        bx, by = quad[(i + 1) % 4, 0], quad[(i + 1) % 4, 1]
        if (bx - ax) * (py - ay) - (by - ay) * (px - ax) < 0.0:
            inside = False
        nearest = min(nearest, point_to_segment(px, py, ax, ay, bx, by))
    return 0.0 if inside else nearest


@kernel
def quads_cross(a: Floats, b: Floats) -> bool:
    """Two convex quadrangles overlap unless a side of one parts them."""
    for turn in range(2):
        one, other = (a, b) if turn == 0 else (b, a)
        for i in range(4):
            ax, ay = one[i, 0], one[i, 1]
            ex = one[(i + 1) % 4, 0] - ax
            ey = one[(i + 1) % 4, 1] - ay
            parted = True
            for j in range(4):
                if ex * (other[j, 1] - ay) - ey * (other[j, 0] - ax) > 0.0:
                    parted = False
                    break
            if parted:
                return False
    return True


@kernel
def quad_to_quad(a: Floats, b: Floats) -> float:
    if quads_cross(a, b):
        return 0.0
    nearest = math.inf
    for i in range(4):
        nearest = min(nearest, point_to_quad(a[i, 0], a[i, 1], b))
        nearest = min(nearest, point_to_quad(b[i, 0], b[i, 1], a))
    return nearest


@kernel
def hull_corners(x: float, y: float, yaw: float, length: float, width: float) -> Floats:
    cos, sin = math.cos(yaw), math.sin(yaw)
    corners = np.empty((4, 2))
    for i in range(4):
        along = 0.5 * length * (1.0 if i in (0, 3) else -1.0)
        aside = 0.5 * width * (1.0 if i < 2 else -1.0)
        corners[i, 0] = x + cos * along - sin * aside
        corners[i, 1] = y + sin * along + cos * aside
    return corners


@kernel
def gap_to_quads(
    x: float,
    y: float,
    yaw: float,
    radius: float,
    length: float,
    width: float,
    quads: Floats,
) -> float:
    """A disc if length is 0."""
    hull = hull_corners(x, y, yaw, length, width)
    nearest = math.inf
    for i in range(quads.shape[0]):
        if length == 0.0:
            nearest = min(nearest, point_to_quad(x, y, quads[i]) - radius)
        else:
            nearest = min(nearest, quad_to_quad(hull, quads[i]))
    return nearest


@kernel
def gaps(
    x: float,
    y: float,
    yaw: float,
    radius: float,
    length: float,
    width: float,
    cells: NDArray[np.uint8],
    left: float,
    low: float,
    resolution: float,
    reach: float,
    quads: Floats,
    discs: Floats,
) -> tuple[float, float, float]:
    """To walls (no more than the reach), boxes and discs; a disc if length is 0."""
    hull = hull_corners(x, y, yaw, length, width)
    round_hull = length == 0.0
    outer = radius if round_hull else 0.5 * math.sqrt(length**2 + width**2)
    walls = reach
    span = outer + reach
    height, columns = cells.shape
    first_r = max(int((y - low - span) / resolution), 0)
    last_r = min(int((y - low + span) / resolution), height - 1)
    first_c = max(int((x - left - span) / resolution), 0)
    last_c = min(int((x - left + span) / resolution), columns - 1)
    square = np.empty((4, 2))
    for row in range(first_r, last_r + 1):
        bottom = low + row * resolution
        dy = max(bottom - y, 0.0, y - bottom - resolution)
        for column in range(first_c, last_c + 1):
            if cells[row, column] == 0:
                continue
            side = left + column * resolution
            dx = max(side - x, 0.0, x - side - resolution)
            away = math.sqrt(dx * dx + dy * dy) - outer
            if away >= walls:
                continue
            if round_hull:
                walls = away
                continue
            square[0, 0] = square[3, 0] = side
            square[1, 0] = square[2, 0] = side + resolution
            square[0, 1] = square[1, 1] = bottom
            square[2, 1] = square[3, 1] = bottom + resolution
            walls = min(walls, quad_to_quad(hull, square))
    boxes = gap_to_quads(x, y, yaw, radius, length, width, quads)
    others = math.inf
    for i in range(discs.shape[0]):
        if round_hull:
            dx, dy = discs[i, 0] - x, discs[i, 1] - y
            away = math.sqrt(dx * dx + dy * dy) - radius
        else:
            away = point_to_quad(discs[i, 0], discs[i, 1], hull)
        others = min(others, away - discs[i, 2])
    return walls, boxes, others
