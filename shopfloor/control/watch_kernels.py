"""What the lasers see around the hull: nearest things, known or not, and free room.

A return counts only if neighbouring beams met something beside it: dust and sparkles
are seen by one beam, legs and boxes by several, and by more of them the nearer they
are. Frames: points are in the robot's
frame, the map in its own (``to_map`` is x, y, yaw of the robot there).
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

EXPLAINED_PER_M = 0.015
"""A heading wrong by a degree moves far returns off their walls."""

CLOSE_M = 1.0
"""Nearer than this even a pole is met by three beams."""


@kernel
def returns(
    ranges: NDArray[np.float64],
    angle_min: float,
    angle_step: float,
    range_max: float,
    mount_x: float,
    mount_y: float,
    mount_yaw: float,
    points: NDArray[np.float64],
) -> int:
    """Confirmed returns as rows x, y, range in the robot's frame; how many."""
    count = ranges.size
    size = 0
    for i in range(count):
        r = ranges[i]
        if not r <= range_max:
            continue
        gap = 0.1 + 4.0 * r * abs(angle_step)
        beside = 0
        for j in (i - 2, i - 1, i + 1, i + 2):
            if 0 <= j < count and abs(ranges[j] - r) <= gap:
                beside += 1
        if count >= 8 and beside < (2 if r < CLOSE_M else 1):
            continue
        angle = mount_yaw + angle_min + i * angle_step
        points[size, 0] = mount_x + r * math.cos(angle)
        points[size, 1] = mount_y + r * math.sin(angle)
        points[size, 2] = r
        size += 1
    return size


@kernel
def compare(
    ranges: NDArray[np.float64],
    before: NDArray[np.float64],
    least: float,
    most: float,
    counts: NDArray[np.int64],
) -> tuple[bool, int, int]:
    """Are these the ranges before, and how many are returns; keeps them as before.

    ``counts``: the returns of as many parts of the scan, side by side; the least of
    them comes third.
    """
    same = True
    returned = 0
    parts, size = counts.size, ranges.size
    counts[:] = 0
    part, end = 0, (size + parts - 1) // parts
    for i in range(size):
        if i == end:
            part += 1
            end = ((part + 1) * size + parts - 1) // parts
        r = ranges[i]
        if r != before[i]:
            same = False
            before[i] = r
        if least <= r <= most:
            returned += 1
            counts[part] += 1
    return same, returned, counts.min()


@kernel
def seen_through(
    ranges: NDArray[np.float64],
    angle_min: float,
    angle_step: float,
    reach: float,
    mount: tuple[float, float, float],
    other: NDArray[np.float64],
    other_min: float,
    other_step: float,
    other_reach: float,
    other_mount: tuple[float, float, float],
    every: int,
    gap: float,
    gap_share: float,
) -> tuple[int, int]:
    """Of what one laser meets: how much another one looks at, and how much of that
    it looks through. The nearest of neighbouring beams counts, so no edge does.
    """
    asked = 0
    through = 0
    count = other.size
    for i in range(0, ranges.size, every):
        r = ranges[i]
        if not 0.05 <= r <= reach:
            continue
        angle = mount[2] + angle_min + i * angle_step
        dx = mount[0] + r * math.cos(angle) - other_mount[0]
        dy = mount[1] + r * math.sin(angle) - other_mount[1]
        away = math.sqrt(dx * dx + dy * dy)
        if away > 0.9 * other_reach:
            continue
        turn = math.atan2(dy, dx) - other_mount[2] - other_min
        turn -= math.tau * math.floor(turn / math.tau)
        j = round(turn / other_step)
        if j < 2 or j > count - 3:
            continue
        nearest = math.inf
        for k in range(j - 2, j + 3):
            nearest = min(nearest, other[k])
        if nearest > other_reach:
            continue
        asked += 1
        if nearest > away + gap + gap_share * away:
            through += 1
    return asked, through


@kernel
def share_on_map(
    ranges: NDArray[np.float64],
    angle_min: float,
    angle_step: float,
    reach: float,
    eye: tuple[float, float, float],
    resolution: float,
    distance: NDArray[np.float32],
    every: int,
    near: float,
) -> float:
    """Of what a laser meets, the share that lies where the map has something."""
    height, width = distance.shape
    asked = 0
    known = 0
    for i in range(0, ranges.size, every):
        r = ranges[i]
        if not 0.05 <= r <= reach:
            continue
        asked += 1
        angle = eye[2] + angle_min + i * angle_step
        column = math.floor((eye[0] + r * math.cos(angle)) / resolution)
        row = math.floor((eye[1] + r * math.sin(angle)) / resolution)
        if not (0 <= column < width and 0 <= row < height):
            continue
        if distance[row, column] <= near + EXPLAINED_PER_M * r:
            known += 1
    return known / asked if asked else 0.0


@kernel
def tell_known(
    points: NDArray[np.float64],
    size: int,
    map_x: float,
    map_y: float,
    map_yaw: float,
    resolution: float,
    distance: NDArray[np.float32],
    explained: float,
    known: NDArray[np.uint8],
) -> None:
    """Which returns lie where the map has something; beyond it, nothing is known."""
    height, width = distance.shape
    cos, sin = math.cos(map_yaw), math.sin(map_yaw)
    for i in range(size):
        x = map_x + cos * points[i, 0] - sin * points[i, 1]
        y = map_y + sin * points[i, 0] + cos * points[i, 1]
        column = math.floor(x / resolution)
        row = math.floor(y / resolution)
        known[i] = 0
        if 0 <= column < width and 0 <= row < height:
            if distance[row, column] <= explained + EXPLAINED_PER_M * points[i, 2]:
                known[i] = 1
        elif (
            column < -2 or row < -2 or column > width + 1 or row > height + 1
        ) and points[i, 2] > 1.0:
            # Far beyond the edge: another hall, seen through a gate.
            known[i] = 1


@kernel
def nearest(
    points: NDArray[np.float64],
    known: NDArray[np.uint8],
    size: int,
    only_unknown: bool,
) -> tuple[float, float, float]:
    """Distance from the robot's centre, and the point."""
    best = math.inf
    x, y = 0.0, 0.0
    for i in range(size):
        if only_unknown and known[i] != 0:
            continue
        away = points[i, 0] * points[i, 0] + points[i, 1] * points[i, 1]
        if away < best:
            best = away
            x = points[i, 0]
            y = points[i, 1]
    return math.sqrt(best), x, y


@kernel
def free_along(
    points: NDArray[np.float64], size: int, dx: float, dy: float, radius: float
) -> float:
    """How far a disc moves along a unit direction before it touches a return.

    What touches it already stops it only from moving nearer.
    """
    free = math.inf
    for i in range(size):
        along = points[i, 0] * dx + points[i, 1] * dy
        if along <= 0.0:
            continue
        across = points[i, 0] * dy - points[i, 1] * dx
        room = radius * radius - across * across
        if room <= 0.0:
            continue
        free = min(free, max(along - math.sqrt(room), 0.0))
    return free


@kernel
def way_out(
    points: NDArray[np.float64],
    size: int,
    from_x: float,
    from_y: float,
    radius: float,
    reach: float,
    directions: int,
) -> tuple[float, float, float]:
    """The direction that leads away from a thing, and how well: 0 is not at all.

    Only directions with free room for the whole reach count.
    """
    away = math.sqrt(from_x * from_x + from_y * from_y)
    if away == 0.0:
        away = 1.0
    best = 0.0
    best_x, best_y = 0.0, 0.0
    for k in range(directions):
        angle = math.tau * k / directions
        dx, dy = math.cos(angle), math.sin(angle)
        score = -(dx * from_x + dy * from_y) / away
        if score < 0.1 or score <= best + 1e-9:
            continue
        if free_along(points, size, dx, dy, radius) < reach:
            continue
        best = score
        best_x, best_y = dx, dy
    return best, best_x, best_y


@kernel
def kept_off(
    points: NDArray[np.float64],
    size: int,
    vx: float,
    vy: float,
    radius: float,
    keep: float,
    braking: float,
    latency: float,
    slide: bool,
) -> tuple[float, float]:
    """The velocity that can still stop before it comes nearer than ``keep``.

    Measured towards every return, so that what is passed sideways counts too. A
    robot that may move sideways slides along; another one slows down.
    """
    lost = braking * latency
    for turn in range(6):
        worst = 1e-6
        nx, ny, most = 0.0, 0.0, 0.0
        for i in range(size):
            px, py = points[i, 0], points[i, 1]
            towards = vx * px + vy * py
            if towards <= 0.0:
                continue
            away = math.sqrt(px * px + py * py)
            room = away - radius - keep
            if room > 1.0:
                continue
            towards /= away
            allowed = 0.0
            if room > 0.0:
                allowed = math.sqrt(lost * lost + 2.0 * braking * room) - lost
            if towards - allowed > worst:
                worst = towards - allowed
                nx, ny, most = px / away, py / away, allowed
        if worst <= 1e-6:
            return vx, vy
        if slide and turn < 4:
            vx -= worst * nx
            vy -= worst * ny
        else:
            share = most / (most + worst)
            vx *= share
            vy *= share
    return (0.0, 0.0) if slide else (vx, vy)
