"""What the laser in front of a robot sees: robots, belts, obstacles and people.

It looks below storage units, so those it does not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from shopfloor.warehouse.scene import Scene
from shopfloor.warehouse.things import Robot

ROBOT_RADIUS_M = 0.38
PERSON_RADIUS_M = 0.25
MOUNT_M = 0.35
"""From the robot's middle forward."""

Disc = tuple[float, float, float]
Box = tuple[float, float, float, float]


def scan(scene: Scene, robot: Robot) -> list[float]:
    """Ranges from the right ray to the left one; the full range sees nothing."""
    laser = scene.floor.laser
    yaw = math.radians(robot.yaw_deg)
    x = robot.x_m + MOUNT_M * math.cos(yaw)
    y = robot.y_m + MOUNT_M * math.sin(yaw)
    reach = laser.range_m + ROBOT_RADIUS_M
    discs = [d for d in _discs(scene, robot) if math.dist(d[:2], (x, y)) < reach]
    boxes = list(_boxes(scene, x, y))
    if not discs and not boxes:
        return [laser.range_m] * laser.rays
    ranges = []
    for bearing in laser.bearings_rad():
        dx, dy = math.cos(yaw + bearing), math.sin(yaw + bearing)
        hits = [_to_disc(x, y, dx, dy, disc) for disc in discs]
        hits += [_to_box(x, y, dx, dy, box) for box in boxes]
        nearest = min((hit for hit in hits if hit is not None), default=laser.range_m)
        ranges.append(min(laser.range_m, max(laser.range_min_m, nearest)))
    return ranges


def sees_blocked(scene: Scene, robot: Robot) -> float | None:
    """The shortest ray if it is under the limit."""
    nearest = min(scan(scene, robot))
    return nearest if nearest < scene.floor.laser.limit_m else None


def _discs(scene: Scene, robot: Robot) -> Iterator[Disc]:
    for other in scene.robots.values():
        if other.id != robot.id:
            yield other.x_m, other.y_m, ROBOT_RADIUS_M
    for person in scene.people.values():
        yield person.x_m, person.y_m, PERSON_RADIUS_M


def _boxes(scene: Scene, x_m: float, y_m: float) -> Iterator[Box]:
    floor = scene.floor
    cell_m, half = floor.cell_m, floor.cell_m / 2.0
    reach = math.ceil(floor.laser.range_m / cell_m)
    column, row = round(x_m / cell_m), round(y_m / cell_m)
    for c in range(column - reach, column + reach + 1):
        for r in range(row - reach, row + reach + 1):
            if (c, r) in floor.solid:
                cx, cy = floor.spot((c, r))
                yield cx - half, cy - half, cx + half, cy + half


def _to_disc(x: float, y: float, dx: float, dy: float, disc: Disc) -> float | None:
    cx, cy, radius = disc
    along = (cx - x) * dx + (cy - y) * dy
    aside2 = (cx - x) ** 2 + (cy - y) ** 2 - along**2
    if along < 0.0 or aside2 > radius**2:
        return None
    return max(0.0, along - math.sqrt(radius**2 - max(0.0, aside2)))


def _to_box(x: float, y: float, dx: float, dy: float, box: Box) -> float | None:
    near, far = 0.0, math.inf
    for at, step, low, high in ((x, dx, box[0], box[2]), (y, dy, box[1], box[3])):
        if abs(step) < 1e-12:
            if not low <= at <= high:
                return None
            continue
        first, second = sorted(((low - at) / step, (high - at) / step))
        near, far = max(near, first), min(far, second)
    return near if near <= far else None
