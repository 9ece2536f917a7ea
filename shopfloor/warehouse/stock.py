"""The inventory while the warehouse runs: which item lies where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shopfloor.warehouse.lifting import Pose, pose_of_unit
from shopfloor.warehouse.things import Item, Shelf, StorageUnit, Warehouse

FIRST_SHELF_M = 0.5
SHELF_GAP_M = 0.4
SLOT_M = 0.1


@dataclass(frozen=True)
class Place:
    """Of an item."""

    item: Item
    unit: StorageUnit
    shelf: Shelf
    slot: int


def places(warehouse: Warehouse) -> Iterator[Place]:
    for unit in warehouse.storage_units.values():
        for shelf in unit.shelves:
            for slot, item in enumerate(shelf.items):
                yield Place(item, unit, shelf, slot)


def find(warehouse: Warehouse, sku: str) -> list[Place]:
    """Every item of this kind; an item's own id is its kind too."""
    return [p for p in places(warehouse) if sku in (p.item.sku, p.item.id)]


def stock(warehouse: Warehouse) -> dict[str, int]:
    """How many of each kind there are."""
    counts: dict[str, int] = {}
    for place in places(warehouse):
        counts[place.item.sku] = counts.get(place.item.sku, 0) + 1
    return counts


def pose_of_item(warehouse: Warehouse, place: Place) -> Pose:
    """Above the unit's middle, at its shelf; slots are one above the other."""
    x_m, y_m, z_m, yaw_deg = pose_of_unit(warehouse, place.unit)
    level_m = FIRST_SHELF_M + (place.shelf.level - 1) * SHELF_GAP_M
    return x_m, y_m, z_m + level_m + place.slot * SLOT_M / 2.0, yaw_deg
