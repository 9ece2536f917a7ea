"""The part of the map that never moves: walls, racks, places and what stands there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mpms.factory.domain.worlds import Ground, Obstacle, Wall, World
from mpms.factory.ports.floor import Point

LARGEST_RACK_M = 3.0
TOUCHES_M = 1e-3
ROUND_CORNERS = 8

Segments = tuple[Wall, ...]
Outline = tuple[Point, ...]


@dataclass(frozen=True)
class PlaceOnPlan:
    name: str
    x: float
    y: float
    yaw: float
    materials: tuple[str, ...]
    kind: str  # pickup, tank, home, place


@dataclass(frozen=True)
class Shape:
    """A car-like robot from above, in its own frame: x forward from the rear axle."""

    vehicle: str
    back: float
    front: float
    half: float
    wheel_base: float
    track: float
    wheel_radius: float
    wheel_width: float


@dataclass(frozen=True)
class FloorPlan:
    """The part of the map that never moves, in metres."""

    name: str
    left: float
    bottom: float
    width: float
    height: float
    walls: Segments
    racks: Segments  # left, bottom, width, height
    rooms: tuple[Outline, ...]
    places: tuple[PlaceOnPlan, ...]
    anchors: tuple[Point, ...]
    ground: tuple[Ground, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """Of robots that steer like a car, by their ids; others are drawn round."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def floor_plan(world: World, shapes: Mapping[str, Shape] | None = None) -> FloorPlan:
    walls, racks, rooms = _bodies(world.walls)
    homes = {robot.home for robot in world.robots}
    places = []
    for name, pose in world.places.items():
        materials = tuple(m for m, p in world.material_places.items() if p == name)
        kind = "pickup" if materials else "place"
        if name in world.tanks:
            kind = "tank"
        elif name in homes:
            kind = "home"
        places.append(
            PlaceOnPlan(name, pose.x_m, pose.y_m, pose.yaw_rad, materials, kind)
        )
    frame = (world.left_m, world.bottom_m, world.width_m, world.height_m)
    if min(frame[2:]) <= 0.0:
        frame = _around(world)
    return FloorPlan(
        world.name,
        *frame,
        walls,
        racks,
        rooms,
        tuple(places),
        tuple((anchor.x_m, anchor.y_m) for anchor in world.anchors),
        world.ground,
        world.obstacles,
        shapes or {},
    )


def _around(world: World) -> tuple[float, float, float, float]:
    """The space that everything known takes, with a margin."""
    stands = world.places.values()
    xs = [p.x_m for p in stands] + [v for w in world.walls for v in w[::2]]
    ys = [p.y_m for p in stands] + [v for w in world.walls for v in w[1::2]]
    if not xs:
        return 0.0, 0.0, 10.0, 10.0
    left, bottom = min(xs) - 1.0, min(ys) - 1.0
    return left, bottom, max(xs) + 1.0 - left, max(ys) + 1.0 - bottom


def _bodies(walls: Segments) -> tuple[Segments, Segments, tuple[Outline, ...]]:
    """Walls in a row that end where they began enclose something: a rectangle or a
    round that is small or stands in a room is a rack or a tank and drawn as a body,
    anything else is a room. The walls of rooms and walls that enclose nothing remain
    walls."""
    left_over: list[Wall] = []
    loops: list[Segments] = []
    index = 0
    while index < len(walls):
        loop = _loop(walls[index:])
        if loop:
            loops.append(loop)
        else:
            left_over.append(walls[index])
        index += max(1, len(loop))
    racks: list[Wall] = []
    rooms: list[Outline] = []
    frames = [_frame(loop) for loop in loops]
    room_walls: list[Wall] = []
    for loop, frame in zip(loops, frames, strict=True):
        small = max(frame[2:]) <= LARGEST_RACK_M
        inside = any(_holds(other, frame) for other in frames)
        if (small or inside) and (_is_rectangle(loop) or _is_round(loop, frame)):
            racks.append(frame)
        else:
            room_walls += loop
            rooms.append(tuple(wall[:2] for wall in loop))
    return (*room_walls, *left_over), tuple(racks), tuple(rooms)


def _loop(walls: Segments) -> Segments:
    """The first walls, if they close a line; else nothing."""
    for index, wall in enumerate(walls):
        if index > 0 and walls[index - 1][2:] != wall[:2]:
            return ()
        if index >= 2 and wall[2:] == walls[0][:2]:
            return walls[: index + 1]
    return ()


def _frame(loop: Segments) -> Wall:
    """Left, bottom, width and height."""
    xs, ys = [w[0] for w in loop], [w[1] for w in loop]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    return min(xs), min(ys), round(width, 3), round(height, 3)


def _holds(outer: Wall, inner: Wall) -> bool:
    """Whether one frame lies in another that is larger."""
    return (
        outer[2] * outer[3] > inner[2] * inner[3]
        and outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and inner[0] + inner[2] <= outer[0] + outer[2] + TOUCHES_M
        and inner[1] + inner[3] <= outer[1] + outer[3] + TOUCHES_M
    )


def _is_rectangle(loop: Segments) -> bool:
    return (
        len(loop) == 4
        and all(w[0] == w[2] or w[1] == w[3] for w in loop)
        and min(_frame(loop)[2:]) > 0.0
    )


def _is_round(loop: Segments, frame: Wall) -> bool:
    """All corners of it are about as far from its middle, and there are many."""
    left, bottom, width, height = frame
    x_m, y_m = left + width / 2, bottom + height / 2
    far = [math.hypot(w[0] - x_m, w[1] - y_m) for w in loop]
    return len(loop) >= ROUND_CORNERS and min(far) > 0.9 * max(far)
