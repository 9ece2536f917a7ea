"""Reading world files.

They are written by hand, so whatever does not fit is refused with its place in
the file and the reason, never ignored.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from shopfloor.sim.storage_file import read_storage
from shopfloor.sim.vehicle import Limits, Pose
from shopfloor.sim.world import (
    Anchor,
    DoorSpec,
    Map,
    Person,
    RobotSpec,
    World,
    WorldRefused,
)

PLANNERS = ("auto", "lazy_theta")
TRACKING = ("straight", "holonomic")
DRIVES = ("differential", "holonomic", "grid")
MOST_CELLS = 10_000_000
FOR_OTHERS = (
    *("description", "materials", "tanks", "waiting", "inputs", "outputs", "storage"),
    *("packages", "stock", "charging", "zones", "lanes", "robot_types"),
)
"""Keys of the file that the robot side must not know."""


def load_world(path: Path) -> World:
    """Read ``world.yaml``, or the directory that holds it."""
    file = path / "world.yaml" if path.is_dir() else path
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise WorldRefused(f"there is no world file {file}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise WorldRefused(f"world file {file} cannot be read: {error}") from None
    except yaml.YAMLError as error:
        line = " ".join(str(error).split())
        raise WorldRefused(f"world file {file} is not YAML: {line}") from None
    try:
        world = _world(_Part(document, ""), file.parent)
    except WorldRefused as error:
        raise WorldRefused(f"world file {file}: {error}") from None
    if file.name != "world.yaml":
        return world  # what lies beside it is no part of it
    return replace(world, storage=read_storage(file.parent, world.places))


class _Part:
    """One mapping of the file, read key by key; left-over keys are refused."""

    def __init__(self, document: Any, where: str) -> None:
        if not isinstance(document, dict):
            raise WorldRefused(f"{where or 'the file'} is not a mapping")
        self._left = dict(document)
        self.where = where

    def name_of(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def take(self, key: str, default: Any = None, *, required: bool = False) -> Any:
        if required and self._left.get(key) is None:
            raise WorldRefused(f"{self.name_of(key)} is missing")
        value = self._left.pop(key, None)
        return default if value is None else value

    def text(self, key: str, default: str | None = None) -> str:
        value = self.take(key, default, required=default is None)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise WorldRefused(f"{self.name_of(key)} is not a text")
        return str(value)

    def number(
        self, key: str, default: float | None = None, *, above: float = -math.inf
    ) -> float:
        value = self.take(key, default, required=default is None)
        return _number(value, self.name_of(key), above)

    def items(self, key: str, *, required: bool = False) -> list[Any]:
        value = self.take(key, [], required=required)
        if not isinstance(value, list):
            raise WorldRefused(f"{self.name_of(key)} is not a list")
        return value

    def finish(self) -> None:
        if self._left:
            known = ", ".join(repr(str(key)) for key in self._left)
            raise WorldRefused(f"{self.where or 'the file'} has unknown keys: {known}")


def _number(value: Any, where: str, above: float = -math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WorldRefused(f"{where} is not a number")
    if not math.isfinite(value) or value <= above:
        raise WorldRefused(f"{where} is {value}, which cannot be")
    return float(value)


def _world(part: _Part, folder: Path) -> World:
    name = part.text("name")
    grid = _map(_Part(part.take("map", required=True), "map"), folder)
    listed = part.take("places", {})
    if not isinstance(listed, dict):
        raise WorldRefused("places is not a mapping")
    places = {
        str(key): _place(_Part(value, f"places.{key}"), grid)
        for key, value in listed.items()
    }
    robots = tuple(
        _robot(_Part(entry, f"robots[{index}]"), places, index)
        for index, entry in enumerate(part.items("robots", required=True))
    )
    anchors = tuple(
        _anchor(_Part(entry, f"anchors[{index}]"), index)
        for index, entry in enumerate(part.items("anchors"))
    )
    people = tuple(
        _person(_Part(entry, f"people[{index}]"), places, index)
        for index, entry in enumerate(part.items("people"))
    )
    doors = tuple(
        _door(_Part(entry, f"doors[{index}]"), grid)
        for index, entry in enumerate(part.items("doors"))
    )
    for key in FOR_OTHERS:
        part.take(key)
    part.finish()
    _unique("robots", [robot.id for robot in robots])
    _unique("namespaces of robots", [robot.prefix for robot in robots])
    _unique("people", [person.id for person in people])
    _unique("anchors", [anchor.id for anchor in anchors])
    _unique("numbers of anchors", [str(anchor.number) for anchor in anchors])
    _unique("doors", [door.id for door in doors])
    return World(name, grid, places, robots, anchors, people, doors)


def _unique(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise WorldRefused(f"{what}: {name!r} is there twice")


def _map(part: _Part, folder: Path) -> Map:
    walls = []
    for index, wall in enumerate(part.items("walls")):
        where = f"map.walls[{index}]"
        if not isinstance(wall, list) or len(wall) != 4:
            raise WorldRefused(f"{where} is not [x1, y1, x2, y2]")
        x1, y1, x2, y2 = (_number(value, where) for value in wall)
        walls.append((x1, y1, x2, y2))
    image = part.take("image")
    file = folder / str(image) if image is not None else None
    if file is not None and not file.is_file():
        raise WorldRefused(f"map.image {image} does not exist beside the file")
    found = Map(
        part.number("resolution_m", 0.05, above=0.0),
        part.number("width_m", above=0.0),
        part.number("height_m", above=0.0),
        tuple(walls),
        file,
        _origin(part.items("origin")),
    )
    columns = found.width_m / found.resolution_m
    rows = found.height_m / found.resolution_m
    if columns * rows > MOST_CELLS:
        raise WorldRefused(
            f"map of {columns:.0f} by {rows:.0f} cells is above the limit of "
            f"{MOST_CELLS:,} cells"
        )
    part.finish()
    return found


def _origin(values: list[Any]) -> Pose:
    if not values:
        return Pose(0.0, 0.0)
    if len(values) != 3:
        raise WorldRefused("map.origin is not [x_m, y_m, yaw]")
    x_m, y_m, yaw = (_number(value, "map.origin") for value in values)
    if yaw != 0.0:
        raise WorldRefused("map.origin is turned, which the simulator cannot show")
    return Pose(x_m, y_m)


def _place(part: _Part, grid: Map) -> Pose:
    pose = Pose(
        part.number("x_m"),
        part.number("y_m"),
        math.radians(part.number("yaw_deg", 0.0)),
    )
    for note in ("kind", "name", "description", "label"):
        part.take(note)
    part.finish()
    if not grid.contains(pose.x_m, pose.y_m):
        raise WorldRefused(f"{part.where} lies outside the map")
    return pose


def _known_place(where: str, name: str, places: Mapping[str, Pose]) -> Pose:
    if name not in places:
        raise WorldRefused(f"{where} names no place: {name!r}")
    return places[name]


def _robot(part: _Part, places: Mapping[str, Pose], index: int) -> RobotSpec:
    usual = Limits()
    robot = RobotSpec(
        id=part.text("id"),
        home=_known_place(f"{part.where}.home", part.text("home"), places),
        kind=part.text("kind", "differential"),
        profile=part.text("profile", "move_base"),
        namespace=part.take("namespace"),
        limits=Limits(
            part.number("max_speed_mps", usual.speed_mps, above=0.0),
            part.number("max_accel_mps2", usual.accel_mps2, above=0.0),
            part.number("max_turn_radps", usual.turn_radps, above=0.0),
            part.number("max_turn_accel_radps2", usual.turn_accel_radps2, above=0.0),
        ),
        max_payload_kg=part.number("max_payload_kg", 0.0),
        radius_m=part.number("radius_m", 0.3, above=0.0),
        battery=part.number("battery_percent", 100.0, above=0.0) / 100.0,
        tag=int(part.number("tag", index + 1)),
        drive=part.take("drive"),
        cell_m=part.number("cell_m", 1.0, above=0.0),
        local_map_m=part.number("local_map_m", 7.0, above=0.0),
        planner=part.text("planner", "auto"),
        tracking=part.take("tracking"),
        vehicle=part.take("vehicle"),
    )
    for note in ("name", "description", "colour", "url", "capabilities", "geometry"):
        part.take(note)
    part.finish()
    if not robot.id.replace("_", "").isalnum() or not robot.id.isascii():
        raise WorldRefused(f"{part.where}.id {robot.id!r} is no name for a namespace")
    if robot.battery > 1.0:
        raise WorldRefused(f"{part.where}.battery_percent is above 100")
    if robot.planner not in PLANNERS:
        known = ", ".join(PLANNERS)
        raise WorldRefused(
            f"{part.where}.planner is {robot.planner!r}, none of {known}"
        )
    if robot.tracking is not None and robot.tracking not in TRACKING:
        known = ", ".join(TRACKING)
        raise WorldRefused(
            f"{part.where}.tracking is {robot.tracking!r}, none of {known}"
        )
    if robot.drive is not None and robot.drive not in DRIVES:
        known = ", ".join(DRIVES)
        raise WorldRefused(f"{part.where}.drive is {robot.drive!r}, none of {known}")
    return robot


def _anchor(part: _Part, index: int) -> Anchor:
    name = part.text("id", str(index + 1))
    digits = "".join(letter for letter in name if letter in "0123456789")
    anchor = Anchor(
        name,
        int(digits or index + 1),
        part.number("x_m"),
        part.number("y_m"),
        part.number("z_m", 2.5),
    )
    part.finish()
    return anchor


def _door(part: _Part, grid: Map) -> DoorSpec:
    def seconds(key: str, above: float) -> float | None:
        value = part.take(key)
        return None if value is None else _number(value, part.name_of(key), above)

    door = DoorSpec(
        part.text("id"),
        part.number("x1_m"),
        part.number("y1_m"),
        part.number("x2_m"),
        part.number("y2_m"),
        seconds("opens_s", -1e-9),
        seconds("open_for_s", 0.0),
        seconds("closed_every_s", 0.0),
    )
    part.finish()
    for x_m, y_m in ((door.x1_m, door.y1_m), (door.x2_m, door.y2_m)):
        if not grid.contains(x_m, y_m):
            raise WorldRefused(f"{part.where} lies outside the map")
    return door


def _person(part: _Part, places: Mapping[str, Pose], index: int) -> Person:
    name = part.text("id")
    stops = part.items("path", required=True)
    where = f"{part.where}.path"
    person = Person(
        name,
        tuple(_known_place(where, str(stop), places) for stop in stops),
        part.number("speed_mps", 1.0, above=0.0),
        int(part.number("tag", 500 + index)),
    )
    part.finish()
    if not person.path:
        raise WorldRefused(f"{where} is empty")
    return person
