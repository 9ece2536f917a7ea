"""Who is where during one tick, and what that forbids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shopfloor.warehouse.things import Cell, Floor, Person, Robot, StorageUnit


@dataclass
class Scene:
    """A warehouse while it changes; robots and people move one after the other."""

    floor: Floor
    robots: dict[str, Robot]
    units: Mapping[str, StorageUnit]
    people: dict[str, Person]

    def in_the_way(self, cell: Cell, mover: str = "", *, loaded: bool) -> str | None:
        """Why nobody, or nobody with a load, enters this cell now."""
        where = f"({cell[0]}, {cell[1]})"
        if not self.floor.contains(cell):
            return f"{where} is outside the floor"
        solid = self.floor.solid.get(cell)
        if solid is not None:
            return f"{solid} is in {where}"
        for robot in self.robots.values():
            if robot.id != mover and cell in robot.holds:
                return f"{robot.id} is in {where}"
        for person in self.people.values():
            if person.id != mover and cell in person.holds:
                return f"{person.id} is in {where}"
        if loaded:
            unit = self.unit_standing(cell)
            if unit is not None:
                return f"{unit.id} stands in {where} and two units do not pass"
        return None

    def unit_standing(self, cell: Cell) -> StorageUnit | None:
        for unit in self.units.values():
            if unit.cell == cell and unit.held_by is None:
                return unit
        return None
