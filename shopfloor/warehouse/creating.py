"""A warehouse from numbers: so many robots, storage units, items and belts.

Belts lie along the lower edge with room before them, storage units in blocks of two by
five with aisles around each. Robots wait along the left and the right edge, each in a
row of its own: its first drive along x is free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shopfloor.warehouse.building import MOST_ON_A_SHELF, SHELVES
from shopfloor.warehouse.errors import FieldWrong, NoRoom
from shopfloor.warehouse.things import (
    Belt,
    Cell,
    Floor,
    Item,
    Robot,
    Shelf,
    StorageUnit,
    Warehouse,
)

BLOCK_COLUMNS, BLOCK_ROWS = 5, 2
BLOCK = BLOCK_COLUMNS * BLOCK_ROWS
LEFT, LOW = 2, 4
FIRST_HOME = 3
BELT = 3
ROBOTS_A_BELT = 4
ITEMS_A_SKU = 4
MOST = {"robots": 500, "items": 50_000, "shelves": 5_000, "belts": 100}


@dataclass(frozen=True)
class Numbers:
    """``shelves`` are storage units, as in the request; each has four levels."""

    robots: int
    items: int
    shelves: int
    belts: int | None = None
    """Unless said, one for every four robots."""


def create(numbers: Numbers, name: str = "Warehouse", id_: str = "1") -> Warehouse:
    """Exactly what is asked for, or FieldWrong or NoRoom."""
    for field, most in MOST.items():
        value = getattr(numbers, field)
        if value is not None and not 0 <= value <= most:
            raise FieldWrong(f"{field} is 0 to {most}, not {value}")
    if not name.strip() or not id_.strip():
        raise FieldWrong("a warehouse has a name and an id, not an empty text")
    room = numbers.shelves * SHELVES * MOST_ON_A_SHELF
    if numbers.items > room:
        raise NoRoom(
            f"{numbers.items} items do not fit into {numbers.shelves} storage units, "
            f"which hold {room}"
        )
    belts = numbers.belts
    if belts is None:
        belts = math.ceil(numbers.robots / ROBOTS_A_BELT)
    blocks = math.ceil(numbers.shelves / BLOCK)
    across = max(1, math.ceil(math.sqrt(blocks / 2)))
    up = max(1, math.ceil(blocks / across))
    columns = max(
        LEFT + across * (BLOCK_COLUMNS + 1) + 1, LEFT + belts * (BELT + 1) + 1
    )
    rows = max(LOW + up * (BLOCK_ROWS + 1) + 1, FIRST_HOME + numbers.robots)
    homes = [(k % 2 * (columns - 1), FIRST_HOME + k) for k in range(numbers.robots)]
    made = {
        f"belt{k + 1}": Belt(f"belt{k + 1}", (LEFT + k * (BELT + 1), 0), BELT)
        for k in range(belts)
    }
    floor = Floor(columns, rows, belts=made)
    robots = [
        Robot(f"kiva{k + 1}", cell, *floor.spot(cell), yaw_deg=180.0 * (k % 2))
        for k, cell in enumerate(homes)
    ]
    units = _units(numbers, across)
    return Warehouse(
        name,
        id_,
        floor,
        {robot.id: robot for robot in robots},
        {unit.id: unit for unit in units},
    )


def _units(numbers: Numbers, across: int) -> list[StorageUnit]:
    skus = max(1, math.ceil(numbers.items / ITEMS_A_SKU))
    levels: list[list[list[Item]]] = [
        [[] for _ in range(SHELVES)] for _ in range(numbers.shelves)
    ]
    for k in range(numbers.items):
        unit, level = k % numbers.shelves, k // numbers.shelves % SHELVES
        levels[unit][level].append(Item(f"item{k + 1}", f"sku{k % skus + 1}"))
    return [
        StorageUnit(
            f"unit{k + 1}",
            _home(k, across),
            shelves=tuple(
                Shelf(n, tuple(items)) for n, items in enumerate(levels[k], start=1)
            ),
        )
        for k in range(numbers.shelves)
    ]


def _home(k: int, across: int) -> Cell:
    block, inside = divmod(k, BLOCK)
    up, right = divmod(block, across)
    row, column = divmod(inside, BLOCK_COLUMNS)
    return (
        LEFT + right * (BLOCK_COLUMNS + 1) + column,
        LOW + up * (BLOCK_ROWS + 1) + row,
    )
