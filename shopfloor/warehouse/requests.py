"""What services are asked to change: a request in, another warehouse out.

Each either returns the changed warehouse or raises WarehouseRefused, so the one that
runs is never half changed.
"""

from __future__ import annotations

import math
from dataclasses import replace

from shopfloor.sim.driving import yaw_of
from shopfloor.sim.message_types import Message
from shopfloor.warehouse.building import add, add_item, empty_shelves
from shopfloor.warehouse.commands import UNIT, full_id
from shopfloor.warehouse.creating import Numbers, create
from shopfloor.warehouse.errors import (
    FieldWrong,
    KindUnknown,
    NoGridPoint,
    NotEmpty,
)
from shopfloor.warehouse.things import (
    Belt,
    Cell,
    Item,
    Obstacle,
    ObstacleKind,
    Person,
    Robot,
    StorageUnit,
    Warehouse,
)
from shopfloor.warehouse.world_file import WorldFile, find_file, load, read

KINDS = ("robot", "storage_unit", "item", "belt", *map(str, ObstacleKind), "person")


def create_models(warehouse: Warehouse, request: Message) -> Warehouse:
    _check_empty(warehouse, request["replace"])
    numbers = Numbers(request["robots"], request["items"], request["shelves"])
    made = create(numbers, request["warehouse_name"], request["warehouse_id"])
    return replace(made, ticks=warehouse.ticks)


def insert_world(warehouse: Warehouse, request: Message) -> WorldFile:
    """A preset by its name, or the text of a world file or of an SDF world."""
    _check_empty(warehouse, request["replace"])
    world = request["world"]
    if world.lstrip().startswith("<"):
        from shopfloor.warehouse.sdf import read_sdf

        found = WorldFile(read_sdf(world))
    elif "\n" in world or ":" in world:
        found = read(world)
    else:
        found = load(find_file(world, files=False))
    kept = replace(found.warehouse, ticks=warehouse.ticks)
    return replace(found, warehouse=kept)


def _check_empty(warehouse: Warehouse, may_replace: bool) -> None:
    if not warehouse.is_empty and not may_replace:
        raise NotEmpty(
            f"the warehouse {warehouse.name} is not empty: reset it first, "
            "or set replace"
        )


def spawn(warehouse: Warehouse, request: Message) -> Warehouse:
    """One thing of any kind."""
    kind, name = request["kind"], request["id"]
    if kind not in KINDS:
        raise KindUnknown(f"there is no kind {kind!r}, only {', '.join(KINDS)}")
    if kind == "item":
        sku = request["sku"] or name
        level = request["shelf"] or None
        unit = full_id(UNIT, request["unit_id"])
        if not unit:
            raise FieldWrong("unit_id is missing: an item lies in a storage unit")
        return add_item(warehouse, Item(name, sku), unit, level)
    if kind == "person":
        return add(warehouse, _person(warehouse, request))
    return add(warehouse, made(warehouse, kind, name, request))


def made(
    warehouse: Warehouse, kind: str, name: str, request: Message
) -> Robot | StorageUnit | Belt | Obstacle:
    at, floor = _at(warehouse, request["at"]), warehouse.floor
    yaw_deg = quarter_deg(request["yaw_deg"])
    length = request["length"] or 1
    if kind == "robot":
        return Robot(name, at, *floor.spot(at), yaw_deg)
    if kind == "storage_unit":
        return StorageUnit(name, at, yaw_deg, empty_shelves())
    sides = (length, request["columns"] or 1, request["rows"] or 1)
    if not all(0 < side <= max(floor.columns, floor.rows) for side in sides):
        raise FieldWrong(f"length, columns and rows are counts of cells, not {sides}")
    if kind == "belt":
        along = request["along"] or "x"
        if along not in ("x", "y"):
            raise FieldWrong(f"along is x or y, not {along!r}")
        return Belt(name, at, length, along)
    return Obstacle(name, ObstacleKind(kind), at, *sides[1:])


def quarter_deg(yaw_deg: float) -> float:
    quarters = round(yaw_deg / 90.0) if math.isfinite(yaw_deg) else 0
    if not abs(yaw_deg - 90.0 * quarters) <= 0.5:
        raise FieldWrong(f"a heading is a multiple of 90 degrees, not {yaw_deg:g}")
    return 90.0 * (quarters % 4)


def _at(warehouse: Warehouse, at: list[float]) -> Cell:
    if len(at) != 2:
        raise FieldWrong(f"at is [x, y] in metres, not {at}")
    return _cell(warehouse, at[0], at[1])


def _cell(warehouse: Warehouse, x_m: float, y_m: float) -> Cell:
    cell = warehouse.floor.cell_at(x_m, y_m)
    if cell is None:
        raise NoGridPoint(f"({x_m:g}, {y_m:g}) is no grid point")
    return cell


def _person(warehouse: Warehouse, request: Message) -> Person:
    """``route`` is x, y, x, y ... in metres; without one the person stands."""
    given = request["route"] or request["at"]
    if len(given) < 2 or len(given) % 2:
        raise FieldWrong(f"route is [x, y, x, y, ...] in metres, not {given}")
    pairs = zip(given[::2], given[1::2], strict=True)
    route = tuple(_cell(warehouse, x_m, y_m) for x_m, y_m in pairs)
    spot = warehouse.floor.spot(route[0])
    return Person(request["id"], route, 0.8, route[0], *spot)


def spawn_model(warehouse: Warehouse, request: Message) -> Warehouse:
    """As Gazebo does it: SDF of one model, or just the word for its kind."""
    name, model = request["model_name"], request["model_xml"].strip()
    position = request["initial_pose"]["position"]
    turn = request["initial_pose"]["orientation"]
    yaw_rad = yaw_of(turn) if any(turn.values()) else 0.0
    facts = {
        "kind": model,
        "id": name,
        "at": [position["x"], position["y"]],
        "yaw_deg": math.degrees(yaw_rad),
        **dict.fromkeys(("length", "columns", "rows", "shelf"), 0),
        **dict.fromkeys(("along", "unit_id", "sku"), ""),
        "route": [],
    }
    if model.startswith("<"):
        from shopfloor.warehouse.sdf import facts_of_model

        facts |= facts_of_model(model, request["robot_namespace"])
    return spawn(warehouse, facts)
