"""Text of a world's files to a World. Every mistake is named at once, with its line.

All YAML files of a folder together are one world, and a section stands in one of them:
``world.yaml`` keeps what the pages and the simulator read too, and what only the fleet
knows lies beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fleet.model.checks import check
from fleet.model.fields import Entry, Mistakes, parse
from fleet.model.robots import read_robot_types, read_robots
from fleet.model.world import (
    Block,
    ChargingZone,
    Door,
    Lane,
    PackageType,
    Place,
    Point,
    Wall,
    World,
    Zone,
)

FOR_OTHERS = ("materials", "tanks", "anchors", "people", "description")
SECTIONS = (
    *("name", "map", "places", "waiting", "robots", "robot_types", "packages"),
    *("storage", "inputs", "outputs", "charging", "lanes", "zones", "doors", "lifts"),
    *("grid", "stock", *FOR_OTHERS),
)


class WorldWrong(ValueError):
    """The files are no world; ``mistakes`` has a line for each reason."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


@dataclass(frozen=True)
class Inspected:
    """What could be read of files, and all that is wrong with it."""

    world: World
    mistakes: Mistakes


def read_world(files: Mapping[str, str]) -> World:
    """A world from the text of its files, by name. WorldWrong names all mistakes."""
    inspected = inspect_world(files)
    if inspected.mistakes.found:
        raise WorldWrong(inspected.mistakes.lines())
    return inspected.world


def inspect_world(files: Mapping[str, str]) -> Inspected:
    """A world as far as its files say one: stand-ins are where mistakes are."""
    mistakes = Mistakes()
    sections = _sections(files, mistakes)
    reader = _Reader(sections, mistakes)
    world = reader.world()
    check(world, reader.lines, mistakes)
    lines = {noun: f"{each.file}:{each.line}" for noun, each in reader.lines.items()}
    return Inspected(replace(world, sources=lines), mistakes)


def _sections(files: Mapping[str, str], mistakes: Mistakes) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for file in sorted(files):
        top = parse(file, files[file], mistakes)
        if top is None:
            continue
        for name, entry in top.pairs():
            if name not in SECTIONS:
                entry.wrong("is no section of a world")
            elif name in found:
                other = found[name]
                entry.wrong(f"is already in {other.file}:{other.line}")
            else:
                found[name] = entry
    if not files:
        mistakes.add("world.yaml", 1, "there are no files")
    return found


class _Reader:
    def __init__(self, sections: dict[str, Entry], mistakes: Mistakes) -> None:
        self._sections = sections
        self._mistakes = mistakes
        self.lines: dict[str, Entry] = {}  # where each noun stands, for the checks
        self._places: dict[str, Place] = {}

    def world(self) -> World:
        name = self._sections.get("name")
        if name is None:
            self._mistakes.add("world.yaml", 1, "lacks name")
        map_ = self._sections.get("map")
        if map_ is None:
            self._mistakes.add("world.yaml", 1, "lacks map")
        self._places = self._read_places("places")
        types = read_robot_types(self._sections.get("robot_types"), self.lines)
        robots, types = read_robots(self._sections.get("robots"), types, self.lines)
        storage, inputs, outputs = (
            self._spots(section) for section in ("storage", "inputs", "outputs")
        )
        left_m, bottom_m = (0.0, 0.0) if map_ is None else self._origin(map_)
        grid = self._sections.get("grid")
        return World(
            name="" if name is None else name.as_text(),
            width_m=1.0 if map_ is None else map_.number("width_m", above=0.0),
            height_m=1.0 if map_ is None else map_.number("height_m", above=0.0),
            left_m=left_m,
            bottom_m=bottom_m,
            walls=self._walls(map_),
            places=self._places,
            waiting=self._read_places("waiting"),
            robot_types=types,
            robots=robots,
            packages=self._packages(),
            storage=storage,
            inputs=inputs,
            outputs=outputs,
            charging=self._charging(),
            lanes=self._lanes(),
            zones=self._zones(),
            doors=self._doors(),
            cell_m=1.0 if grid is None else grid.number("cell_m", 1.0, above=0.0),
            stock=self._stock(),
        )

    def _pairs(self, section: str) -> list[tuple[str, Entry]]:
        entry = self._sections.get(section)
        found = [] if entry is None else list(entry.pairs())
        self.lines.update({f"{section}.{name}": each for name, each in found})
        return found

    def _items(self, section: str) -> list[Entry]:
        entry = self._sections.get(section)
        return [] if entry is None else list(entry.items())

    def _read_places(self, section: str) -> dict[str, Place]:
        return {name: _place(name, entry) for name, entry in self._pairs(section)}

    def _spots(self, section: str) -> tuple[str, ...]:
        """Names of places, in a list; or a mapping that brings new places along."""
        names = []
        entry = self._sections.get(section)
        if entry is None:
            return ()
        if entry.is_list():
            for item in entry.items():
                name = item.as_text()
                self.lines[f"{section}.{name}"] = item
                if name not in self._places:
                    item.wrong(f"names no place: {name!r}")
                names.append(name)
            return tuple(names)
        for name, each in self._pairs(section):
            if name in self._places:
                each.wrong("is the name of another place")
            self._places[name] = _place(name, each)
            names.append(name)
        return tuple(names)

    def _origin(self, map_: Entry) -> Point:
        origin = map_.get("origin")
        numbers = None if origin is None else origin.numbers(3)
        return (0.0, 0.0) if numbers is None else (numbers[0], numbers[1])

    def _walls(self, map_: Entry | None) -> tuple[Wall, ...]:
        walls = None if map_ is None else map_.get("walls")
        read = [] if walls is None else [wall.numbers(4) for wall in walls.items()]
        return tuple((w[0], w[1], w[2], w[3]) for w in read if w is not None)

    def _packages(self) -> dict[str, PackageType]:
        found = {}
        for name, entry in self._pairs("packages"):
            weight_kg = entry.number("weight_kg", least=0.0)
            found[name] = PackageType(name, weight_kg, entry.text("geometry", ""))
            entry.finish()
        return found

    def _charging(self) -> dict[str, ChargingZone]:
        found = {}
        for name, entry in self._pairs("charging"):
            area = entry.get("area")
            corners = None if area is None else area.numbers(4)
            if area is None:
                entry.wrong("lacks area")
            x1, y1, x2, y2 = corners or (0.0, 0.0, 1.0, 1.0)
            listed = entry.get("places")
            places = [] if listed is None else [p.as_text() for p in listed.items()]
            found[name] = ChargingZone(
                name,
                min(x1, x2),
                min(y1, y2),
                max(x1, x2),
                max(y1, y2),
                rate_pps=entry.number("rate_percent_per_s", above=0.0),
                capacity=int(entry.number("max_robots", least=1)),
                places=tuple(places),
            )
            entry.finish()
        return found

    def _lanes(self) -> tuple[Lane, ...]:
        found = []
        for index, entry in enumerate(self._items("lanes")):
            name = entry.text("id", f"lane{index + 1}")
            self.lines[f"lanes.{name}"] = entry
            points = self._points(entry, "points", 2)
            found.append(
                Lane(
                    name,
                    points,
                    entry.flag("one_way"),
                    entry.number("speed_mps", math.inf, above=0.0),
                    entry.number("width_m", math.inf, above=0.0),
                )
            )
            entry.finish()
        return tuple(found)

    def _points(self, entry: Entry, key: str, least: int) -> tuple[Point, ...]:
        """Pairs of numbers, or names of places."""
        listed = entry.get(key)
        points: list[Point] = []
        for item in [] if listed is None else listed.items():
            if item.is_list():
                pair = item.numbers(2)
                if pair is not None:
                    points.append((pair[0], pair[1]))
            elif (name := item.as_text()) in self._places:
                points.append(self._places[name].spot)
            else:
                item.wrong(f"names no place: {name!r}")
        if len(points) < least:
            entry.wrong(f"needs at least {least} {key}")
        return tuple(points)

    def _zones(self) -> dict[str, Zone]:
        found = {}
        for name, entry in self._pairs("zones"):
            block = entry.one_of("block", [b.value for b in Block], Block.OPEN.value)
            speed_mps = entry.number("speed_mps", math.inf, above=0.0)
            corners = self._points(entry, "corners", 3)
            group = entry.text("group", "")
            found[name] = Zone(name, corners, Block(block), speed_mps, group)
            entry.finish()
        return found

    def _doors(self) -> dict[str, Door]:
        found: dict[str, Door] = {}
        for section in ("doors", "lifts"):
            for entry in self._items(section):
                ends = [entry.number(key) for key in ("x1_m", "y1_m", "x2_m", "y2_m")]
                door = Door(entry.text("id"), *ends)
                if door.id in found:
                    entry.wrong(f"{door.id!r} is there twice")
                found[door.id] = door
        return found

    def _stock(self) -> dict[str, tuple[str, str]]:
        found = {}
        for place, entry in self._pairs("stock"):
            found[place] = (entry.text("package"), entry.text("type"))
            entry.finish()
        return found


def _place(name: str, entry: Entry) -> Place:
    yaw = math.radians(entry.number("yaw_deg", 0.0))
    place = Place(name, entry.number("x_m"), entry.number("y_m"), yaw)
    entry.skip("kind", "name", "description", "label")
    entry.finish()
    return place
