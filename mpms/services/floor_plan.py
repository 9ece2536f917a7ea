"""The part of the map that never moves: walls, racks, places and what stands there."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from mpms.domain.worlds import Wall, World
from mpms.ports.floor import Point

LARGEST_RACK_M = 3.0

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

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def floor_plan(world: World) -> FloorPlan:
    walls, racks, rooms = _bodies(world.walls)
    homes = {robot.home for robot in world.robots}
    places = []
    for name, pose in world.places.items():
        materials = tuple(m for m, p in world.material_places.items() if p == name)
        kind = "pickup" if materials else "place"
        if name == world.tank:
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
    """Walls in a row that end where they began enclose something: a small rectangle
    is a rack or a tank and drawn as a body, anything else is a room. The walls of
    rooms and walls that enclose nothing remain walls."""
    left_over: list[Wall] = []
    racks: list[Wall] = []
    rooms: list[Outline] = []
    index = 0
    while index < len(walls):
        loop = _loop(walls[index:])
        body = _rectangle(loop)
        if body is not None:
            racks.append(body)
        else:
            left_over += loop or walls[index : index + 1]
            if loop:
                rooms.append(tuple(wall[:2] for wall in loop))
        index += max(1, len(loop))
    return tuple(left_over), tuple(racks), tuple(rooms)


def _loop(walls: Segments) -> Segments:
    """The first walls, if they close a line; else nothing."""
    for index, wall in enumerate(walls):
        if index > 0 and walls[index - 1][2:] != wall[:2]:
            return ()
        if index >= 2 and wall[2:] == walls[0][:2]:
            return walls[: index + 1]
    return ()


def _rectangle(loop: Segments) -> Wall | None:
    """Left, bottom, width and height of a small one."""
    if len(loop) != 4 or any(w[0] != w[2] and w[1] != w[3] for w in loop):
        return None
    xs, ys = [w[0] for w in loop], [w[1] for w in loop]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    if not 0.0 < max(width, height) <= LARGEST_RACK_M:
        return None
    return min(xs), min(ys), round(width, 3), round(height, 3)
