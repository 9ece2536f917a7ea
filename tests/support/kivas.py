"""Warehouses for tests: drawn in a line or two, and driven until they rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from shopfloor.warehouse.building import add, empty_shelves
from shopfloor.warehouse.commands import Command, parse_command
from shopfloor.warehouse.driving import TICK_S
from shopfloor.warehouse.events import Became, Ended, Event, Refused
from shopfloor.warehouse.stepping import step
from shopfloor.warehouse.things import (
    Belt,
    Cell,
    Floor,
    Robot,
    Status,
    StorageUnit,
    Warehouse,
)

Look = Callable[[Warehouse], None]


def a_robot(number: int, cell: Cell, yaw_deg: float = 0.0) -> Robot:
    return Robot(f"kiva{number}", cell, float(cell[0]), float(cell[1]), yaw_deg)


def a_unit(number: int, cell: Cell) -> StorageUnit:
    return StorageUnit(f"unit{number}", cell, shelves=empty_shelves())


def hall(
    *robots: Cell,
    units: Iterable[Cell] = (),
    belts: Iterable[Cell] = (),
    size: Cell = (10, 8),
) -> Warehouse:
    """Robots look along x; belts have one cell."""
    made = Warehouse("Hall", "hall", Floor(*size))
    for k, cell in enumerate(belts, start=1):
        made = add(made, Belt(f"belt{k}", cell, 1))
    for k, cell in enumerate(units, start=1):
        made = add(made, a_unit(k, cell))
    for k, cell in enumerate(robots, start=1):
        made = add(made, a_robot(k, cell))
    return made


def cells_held_twice(warehouse: Warehouse) -> list[Cell]:
    """By robots, people and what never moves; none, if all is well."""
    held = [cell for robot in warehouse.robots.values() for cell in robot.holds]
    held += [cell for p in warehouse.present.values() for cell in p.holds]
    held += warehouse.floor.solid
    return [cell for cell in set(held) if held.count(cell) > 1]


@dataclass
class Drive:
    """A warehouse, all that it told, and how it was at every tick."""

    now: Warehouse
    told: list[Event] = field(default_factory=list)
    look: Look = lambda _: None

    def give(self, *lines: str) -> Drive:
        self.now, told = step(self.now, 0.0, [parse_command(line) for line in lines])
        self.told += told
        return self

    def tick(self, commands: Iterable[Command] = ()) -> Drive:
        self.now, told = step(self.now, TICK_S, tuple(commands))
        self.told += told
        self.look(self.now)
        return self

    def rest(self, limit_s: float = 120.0) -> Drive:
        """Until every robot is idle."""
        for _ in range(round(limit_s / TICK_S)):
            if all(r.status is Status.IDLE for r in self.now.robots.values()):
                return self
            self.tick()
        raise AssertionError(f"still busy after {limit_s} s")

    def do(self, *lines: str) -> Drive:
        """One after the other."""
        for line in lines:
            self.give(line).rest()
        return self

    def robot(self, number: int = 1) -> Robot:
        return self.now.robots[f"kiva{number}"]

    def states(self, number: int = 1) -> list[str]:
        return [
            str(event.state)
            for event in self.told
            if isinstance(event, Became) and event.robot == f"kiva{number}"
        ]

    def refusal(self) -> Refused:
        found = [event for event in self.told if isinstance(event, Refused)]
        return found[-1]

    def ends(self) -> list[Ended]:
        return [event for event in self.told if isinstance(event, Ended)]
