"""Putting things into a warehouse and taking them out, each checked before.

What does not fit is refused with its name and the reason, and the warehouse is the one
it was before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from shopfloor.warehouse.errors import (
    CellTaken,
    FieldWrong,
    NameTaken,
    NameWrong,
    NoRoom,
    NotThere,
    OutsideFloor,
    RobotBusy,
    UnitHeld,
    UnitUnknown,
)
from shopfloor.warehouse.scene import Scene
from shopfloor.warehouse.stepping import scene_of
from shopfloor.warehouse.things import (
    Belt,
    Cell,
    Item,
    Obstacle,
    Person,
    Robot,
    Shelf,
    Status,
    StorageUnit,
    Warehouse,
)

SHELVES = 4
MOST_ON_A_SHELF = 6
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]{0,63}")
T = TypeVar("T")
Thing = Robot | StorageUnit | Belt | Obstacle | Person


def add(warehouse: Warehouse, thing: Thing) -> Warehouse:
    """With one thing more."""
    check_name(warehouse, thing.id)
    scene = replace_people(scene_of(warehouse), warehouse)
    floor = warehouse.floor
    match thing:
        case Robot():
            _check_cells(scene, thing.id, [thing.cell])
            return replace(warehouse, robots={**warehouse.robots, thing.id: thing})
        case StorageUnit():
            _check_unit(warehouse, scene, thing)
            units = {**warehouse.storage_units, thing.id: thing}
            return replace(warehouse, storage_units=units)
        case Belt():
            _check_cells(scene, thing.id, thing.cells(), units=True)
            floor = replace(floor, belts={**floor.belts, thing.id: thing})
        case Obstacle():
            _check_cells(scene, thing.id, thing.cells(), units=True)
            floor = replace(floor, obstacles={**floor.obstacles, thing.id: thing})
        case Person():
            return _with_person(warehouse, scene, thing)
    return replace(warehouse, floor=floor)


def replace_people(scene: Scene, warehouse: Warehouse) -> Scene:
    """People who do not walk now may walk later: nothing is put where they stand."""
    scene.people = dict(warehouse.people)
    return scene


def check_name(warehouse: Warehouse, name: str) -> None:
    if NAME.fullmatch(name) is None:
        raise NameWrong(f"{name!r} is no name: letters, digits and _, at most 64")
    if name in set(warehouse.names()):
        raise NameTaken(f"there is a {name} already")


def _check_cells(
    scene: Scene, name: str, cells: Iterable[Cell], *, units: bool = False
) -> None:
    for cell in cells:
        if not scene.floor.contains(cell):
            raise OutsideFloor(f"{name} at ({cell[0]}, {cell[1]}) is outside the floor")
        reason = scene.in_the_way(cell, loaded=units)
        if reason is not None:
            raise CellTaken(f"{name} cannot stand there: {reason}")


def _check_unit(warehouse: Warehouse, scene: Scene, unit: StorageUnit) -> None:
    cell, floor = unit.cell, warehouse.floor
    if not floor.contains(cell):
        raise OutsideFloor(f"{unit.id} at ({cell[0]}, {cell[1]}) is outside the floor")
    standing = scene.unit_standing(cell)
    carrying = [r.id for r in scene.robots.values() if cell in r.holds and r.carries]
    walking = [p.id for p in scene.people.values() if cell in p.holds]
    there = [*([standing.id] if standing else []), *carrying, *walking]
    if cell in floor.solid:
        there.append(floor.solid[cell])
    if there:
        raise CellTaken(
            f"{unit.id} cannot stand there: {there[0]} is in ({cell[0]}, {cell[1]})"
        )
    items = [item for shelf in unit.shelves for item in shelf.items]
    for shelf in unit.shelves:
        if len(shelf.items) > MOST_ON_A_SHELF:
            raise NoRoom(f"{unit.id}: a shelf holds {MOST_ON_A_SHELF} items")
    names = [unit.id, *(item.id for item in items)]
    for item in items:
        check_name(warehouse, item.id)
        if names.count(item.id) > 1:
            raise NameTaken(f"{unit.id}: {item.id} is there twice")


def _with_person(warehouse: Warehouse, scene: Scene, person: Person) -> Warehouse:
    _check_cells(scene, person.id, [person.cell], units=True)
    for cell in person.route:
        if not warehouse.floor.contains(cell):
            raise OutsideFloor(
                f"{person.id} walks to ({cell[0]}, {cell[1]}), outside the floor"
            )
    return replace(warehouse, people={**warehouse.people, person.id: person})


def add_item(
    warehouse: Warehouse, item: Item, unit_id: str, level: int | None = None
) -> Warehouse:
    """Into a shelf of a storage unit; without a level into the emptiest."""
    check_name(warehouse, item.id)
    unit = warehouse.storage_units.get(unit_id)
    if unit is None:
        raise UnitUnknown(f"there is no storage unit {unit_id} for {item.id}")
    if level is None:
        level = min(unit.shelves, key=lambda s: (len(s.items), s.level)).level
    if level not in [shelf.level for shelf in unit.shelves]:
        raise FieldWrong(f"{unit_id} has no shelf {level}")
    shelves = []
    for shelf in unit.shelves:
        if shelf.level == level:
            if len(shelf.items) >= MOST_ON_A_SHELF:
                raise NoRoom(f"shelf {level} of {unit_id} is full")
            shelf = replace(shelf, items=(*shelf.items, item))
        shelves.append(shelf)
    units = {
        **warehouse.storage_units,
        unit_id: replace(unit, shelves=tuple(shelves)),
    }
    return replace(warehouse, storage_units=units)


def empty_shelves(count: int = SHELVES) -> tuple[Shelf, ...]:
    return tuple(Shelf(level) for level in range(1, count + 1))


def remove(warehouse: Warehouse, name: str) -> Warehouse:
    """Without one thing. A robot must be idle and empty, a unit must stand."""
    floor = warehouse.floor
    if name in warehouse.robots:
        robot = warehouse.robots[name]
        if robot.status is not Status.IDLE:
            raise RobotBusy(f"{name} is {robot.doing} and cannot be taken away")
        if robot.carries is not None:
            raise UnitHeld(f"{name} carries {robot.carries} and cannot be taken away")
        return replace(warehouse, robots=_without(warehouse.robots, name))
    if name in warehouse.storage_units:
        holder = warehouse.storage_units[name].held_by
        if holder is not None:
            raise UnitHeld(f"{name} is held by {holder}")
        units = _without(warehouse.storage_units, name)
        return replace(warehouse, storage_units=units)
    if name in floor.belts:
        floor = replace(floor, belts=_without(floor.belts, name))
    elif name in floor.obstacles:
        floor = replace(floor, obstacles=_without(floor.obstacles, name))
    elif name in warehouse.people:
        return replace(warehouse, people=_without(warehouse.people, name))
    else:
        return _without_item(warehouse, name)
    return replace(warehouse, floor=floor)


def _without_item(warehouse: Warehouse, name: str) -> Warehouse:
    for unit in warehouse.storage_units.values():
        for shelf in unit.shelves:
            kept = tuple(item for item in shelf.items if item.id != name)
            if len(kept) < len(shelf.items):
                shelves = tuple(
                    replace(s, items=kept) if s is shelf else s for s in unit.shelves
                )
                changed = replace(unit, shelves=shelves)
                units = {**warehouse.storage_units, unit.id: changed}
                return replace(warehouse, storage_units=units)
    raise NotThere(f"there is nothing called {name}")


def _without(things: Mapping[str, T], name: str) -> dict[str, T]:
    return {key: thing for key, thing in things.items() if key != name}


def walk(warehouse: Warehouse, on: bool) -> Warehouse:
    """Switch people on or off. Off, they leave; on, they come to where they left,
    which must be free."""
    if on and not warehouse.people_walk:
        scene = scene_of(warehouse)
        for person in warehouse.people.values():
            for cell in person.holds:
                reason = scene.in_the_way(cell, person.id, loaded=True)
                if reason is not None:
                    raise CellTaken(f"{person.id} cannot come back: {reason}")
    return replace(warehouse, people_walk=on)
