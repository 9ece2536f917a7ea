"""World files: a warehouse as YAML, read and written.

They are written by hand, so every mistake is named at once with its line, overlaps
included. What is written is read again as the same warehouse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from fleet.model.fields import Entry, Mistakes, parse
from shopfloor.warehouse.building import SHELVES, Thing, add, empty_shelves, walk
from shopfloor.warehouse.commands import Command
from shopfloor.warehouse.creating import Numbers, create
from shopfloor.warehouse.errors import WarehouseRefused, WorldUnknown, WorldWrong
from shopfloor.warehouse.script import read_script
from shopfloor.warehouse.things import (
    Belt,
    Cell,
    Floor,
    Item,
    Laser,
    Motors,
    Obstacle,
    ObstacleKind,
    Person,
    Robot,
    Shelf,
    StorageUnit,
    Warehouse,
)

FILE = "warehouse.yaml"
PREFIX = "kiva_"
MOST_CELLS = 1000


@dataclass(frozen=True)
class WorldFile:
    warehouse: Warehouse
    commands: tuple[Command, ...] = ()
    """What its robots do when it is launched."""


def shelves_of_worlds() -> list[Path]:
    here = Path(__file__).resolve().parents[2]
    return [Path("worlds"), here / "worlds", here / "mpms" / "_assets" / "worlds"]


def presets() -> dict[str, Path]:
    """The warehouses that come with the product, by their short name."""
    found: dict[str, Path] = {}
    for shelf in reversed(shelves_of_worlds()):
        for file in sorted(shelf.glob(f"{PREFIX}*/{FILE}")):
            found[file.parent.name.removeprefix(PREFIX)] = file
    return found


def find_file(name: str, *, files: bool = True) -> Path:
    """A preset; with ``files`` also a file or the directory that holds one."""
    given = Path(name)
    if files and given.is_dir() and (given / FILE).is_file():
        return given / FILE
    if files and given.is_file():
        return given
    known = presets()
    short = name.removeprefix(PREFIX)
    if short not in known:
        raise WorldUnknown(
            f"there is no warehouse {name!r}; there are {', '.join(sorted(known))}"
        )
    return known[short]


def load(path: Path) -> WorldFile:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorldUnknown(f"{path} cannot be read: {error}") from None
    return read(text, path.name)


def read(text: str, file: str = "world") -> WorldFile:
    """WorldWrong has a line for every mistake."""
    mistakes = Mistakes()
    top = parse(file, text, mistakes)
    if top is None and not mistakes.found:
        mistakes.add(file, 1, "the file is empty")
    found = None if top is None else _Reader(top, mistakes).read()
    if mistakes.found or found is None:
        raise WorldWrong(mistakes.lines())
    return found


class _Reader:
    def __init__(self, top: Entry, mistakes: Mistakes) -> None:
        self.top = top
        self.mistakes = mistakes
        self.warehouse = Warehouse()

    def read(self) -> WorldFile:
        top = self.top
        name, id_ = top.text("name"), top.text("id", "1")
        if top.get("create") is not None:
            top.skip("create")
            self._create(name, id_)
        else:
            self.warehouse = Warehouse(name, id_, self._floor())
            for key, make in (
                ("obstacles", self._obstacle),
                ("belts", self._belt),
                ("storage_units", self._unit),
                ("robots", self._robot),
            ):
                self._each(key, make)
        self._each("people", self._person)
        if top.flag("people_walk"):
            self._keep(top, lambda w: walk(w, True), "people_walk")
        commands = self._commands()
        top.finish()
        return WorldFile(self.warehouse, commands)

    def _each(self, key: str, make: Callable[[Entry], Thing]) -> None:
        section = self.top.get(key)
        for entry in () if section is None else section.items():
            before = len(self.mistakes.found)
            thing = make(entry)
            entry.finish()
            if len(self.mistakes.found) == before:
                self._keep(entry, partial(_added, thing))

    def _keep(
        self,
        entry: Entry,
        change: Callable[[Warehouse], Warehouse],
        where: str = "",
    ) -> None:
        try:
            self.warehouse = change(self.warehouse)
        except WarehouseRefused as error:
            entry.wrong(f"{where}: {error}" if where else str(error))

    def _create(self, name: str, id_: str) -> None:
        section = self.top.get("create")
        if section is None:
            return
        robots, items, shelves = (
            _whole(section, key) for key in ("robots", "items", "shelves")
        )
        said = section.get("belts") is not None
        belts = _whole(section, "belts") if said else None
        numbers = Numbers(robots, items, shelves, belts)
        section.finish()
        self._keep(section, lambda _: create(numbers, name, id_))

    def _floor(self) -> Floor:
        usual = Floor()
        section = self.top.get("floor")
        if section is None:
            self.top.wrong("lacks floor, or create")
            return usual
        floor = Floor(
            _whole(section, "columns", least=1),
            _whole(section, "rows", least=1),
            section.number("cell_m", usual.cell_m, above=0.0, most=100.0),
            self._motors(),
            self._laser(),
        )
        section.finish()
        return floor

    def _motors(self) -> Motors:
        section, usual = self.top.get("motors"), Motors()
        if section is None:
            return usual
        motors = Motors(
            *(
                section.number(key, getattr(usual, key), above=0.0, most=1000.0)
                for key in ("speed_mps", "turn_dps", "lift_mps", "lift_m")
            )
        )
        section.finish()
        return motors

    def _laser(self) -> Laser:
        section, usual = self.top.get("laser"), Laser()
        if section is None:
            return usual
        laser = Laser(
            section.number("period_s", usual.period_s, above=0.0),
            _whole(section, "rays", usual.rays, least=2, most=1000),
            section.number(
                "half_angle_deg", usual.half_angle_deg, above=0.0, most=25.0
            ),
            section.number("range_min_m", usual.range_min_m, least=0.0),
            section.number("range_m", usual.range_m, above=0.0, most=30.0),
            section.number("limit_m", usual.limit_m, above=0.0),
        )
        section.finish()
        return laser

    # Things

    def _cell(self, entry: Entry) -> Cell:
        x_m, y_m = entry.number("x_m"), entry.number("y_m")
        return self._grid_point(entry, x_m, y_m)

    def _grid_point(self, entry: Entry, x_m: float, y_m: float) -> Cell:
        cell = self.warehouse.floor.cell_at(x_m, y_m)
        if cell is None:
            entry.wrong(f"({x_m:g}, {y_m:g}) is no grid point")
            return 0, 0
        return cell

    def _yaw(self, entry: Entry) -> float:
        yaw_deg = entry.number("yaw_deg", 0.0)
        if yaw_deg % 90.0:
            entry.wrong(f"yaw_deg is {yaw_deg:g} and must be a multiple of 90")
        return yaw_deg % 360.0

    def _robot(self, entry: Entry) -> Robot:
        name, cell = entry.text("id"), self._cell(entry)
        spot = self.warehouse.floor.spot(cell)
        return Robot(name, cell, *spot, self._yaw(entry))

    def _unit(self, entry: Entry) -> StorageUnit:
        name, cell = entry.text("id"), self._cell(entry)
        section = entry.get("shelves")
        shelves = empty_shelves(SHELVES)
        if section is not None:
            shelves = tuple(
                Shelf(level, tuple(self._item(each) for each in shelf.items()))
                for level, shelf in enumerate(section.items(), start=1)
            )
        return StorageUnit(name, cell, self._yaw(entry), shelves)

    def _item(self, entry: Entry) -> Item:
        item = Item(entry.text("id"), entry.text("sku"))
        entry.finish()
        return item

    def _belt(self, entry: Entry) -> Belt:
        name, cell = entry.text("id"), self._cell(entry)
        length = _whole(entry, "length", least=1, most=MOST_CELLS)
        return Belt(name, cell, length, entry.one_of("along", ["x", "y"], "x"))

    def _obstacle(self, entry: Entry) -> Obstacle:
        name, cell = entry.text("id"), self._cell(entry)
        kinds = [str(kind) for kind in ObstacleKind]
        kind = ObstacleKind(entry.one_of("kind", kinds, "wall"))
        sides = (_whole(entry, key, 1, least=1) for key in ("columns", "rows"))
        return Obstacle(name, kind, cell, *sides)

    def _person(self, entry: Entry) -> Person:
        name = entry.text("id")
        section = entry.get("route")
        if section is None:
            entry.wrong("lacks route")
        pairs = () if section is None else section.items()
        spots = [pair.numbers(2) or (0.0, 0.0) for pair in pairs]
        route = tuple(self._grid_point(entry, x_m, y_m) for x_m, y_m in spots)
        speed_mps = entry.number("speed_mps", 0.8, above=0.0, most=3.0)
        at = route[0] if route else (0, 0)
        spot = self.warehouse.floor.spot(at)
        return Person(name, route, speed_mps, at, *spot)

    def _commands(self) -> tuple[Command, ...]:
        section = self.top.get("commands")
        if section is None:
            return ()
        try:
            return tuple(read_script(section.as_text()))
        except WarehouseRefused as error:
            section.wrong(str(error))
            return ()


def _added(thing: Thing, warehouse: Warehouse) -> Warehouse:
    return add(warehouse, thing)


def _whole(
    entry: Entry,
    key: str,
    default: int | None = None,
    *,
    least: int = 0,
    most: float = math.inf,
) -> int:
    usual = None if default is None else float(default)
    limit = min(most, float(MOST_CELLS) if key in ("columns", "rows") else math.inf)
    value = entry.number(key, usual, least=least, most=limit)
    if value != int(value):
        (entry.get(key) or entry).wrong(f"is {value:g} and must be whole")
        return max(1, least)
    return int(value)


# Writing


def write(warehouse: Warehouse) -> str:
    """As it stands now; what robots are doing is not part of a world."""
    return yaml.safe_dump(
        document(warehouse), sort_keys=False, allow_unicode=True, width=88
    )


def document(warehouse: Warehouse) -> dict[str, Any]:
    floor = warehouse.floor
    laser, motors = floor.laser, floor.motors
    return {
        "name": warehouse.name,
        "id": warehouse.id,
        "floor": {
            "columns": floor.columns,
            "rows": floor.rows,
            "cell_m": floor.cell_m,
        },
        "motors": dict(vars(motors)),
        "laser": dict(vars(laser)),
        "obstacles": [
            {
                "id": o.id,
                "kind": str(o.kind),
                **_at(warehouse, o.at),
                "columns": o.columns,
                "rows": o.rows,
            }
            for o in floor.obstacles.values()
        ],
        "belts": [
            {
                "id": b.id,
                **_at(warehouse, b.at),
                "length": b.length,
                "along": b.along,
            }
            for b in floor.belts.values()
        ],
        "storage_units": [
            {
                "id": unit.id,
                **_at(warehouse, unit.cell),
                "yaw_deg": unit.yaw_deg,
                "shelves": [
                    [{"id": item.id, "sku": item.sku} for item in shelf.items]
                    for shelf in unit.shelves
                ],
            }
            for unit in warehouse.storage_units.values()
        ],
        "robots": [
            {"id": r.id, **_at(warehouse, r.cell), "yaw_deg": r.yaw_deg}
            for r in warehouse.robots.values()
        ],
        "people": [
            {
                "id": p.id,
                "route": [list(floor.spot(cell)) for cell in p.route],
                "speed_mps": p.speed_mps,
            }
            for p in warehouse.people.values()
        ],
        "people_walk": warehouse.people_walk,
    }


def _at(warehouse: Warehouse, cell: Cell) -> dict[str, float]:
    x_m, y_m = warehouse.floor.spot(cell)
    return {"x_m": x_m, "y_m": y_m}
