"""The nouns of a warehouse, and all of its state. Nothing here ever changes in place.

A robot at rest stands on a grid point. While it drives it holds the cell it leaves and
the cell it enters, so two robots are never in one cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from shopfloor.warehouse.commands import Command

Cell = tuple[int, int]
"""Column and row; the lower left one is (0, 0)."""
NEAR_GRID_M = 1e-6


class State(StrEnum):
    IDLE = "idle"
    MOVING_X = "moving on X"
    MOVING_Y = "moving on Y"
    ROTATING = "rotating"
    BLOCKED = "blocked"


class Status(StrEnum):
    """What the topic says."""

    IDLE = "idle"
    BUSY = "busy"
    BLOCKED = "blocked"


class ObstacleKind(StrEnum):
    WALL = "wall"
    DIVIDER = "divider"
    BLOCKER = "blocker"


@dataclass(frozen=True)
class Laser:
    """In front of every robot. One ray shorter than the limit is a blocked way."""

    period_s: float = 0.1
    rays: int = 21
    half_angle_deg: float = 20.0
    range_min_m: float = 0.05
    range_m: float = 3.0
    limit_m: float = 0.6

    def bearings_rad(self) -> tuple[float, ...]:
        half = math.radians(self.half_angle_deg)
        gap = 2.0 * half / (self.rays - 1)
        return tuple(gap * ray - half for ray in range(self.rays))


@dataclass(frozen=True)
class Motors:
    """What all robots of a warehouse can do."""

    speed_mps: float = 1.0
    turn_dps: float = 120.0
    lift_mps: float = 0.05
    lift_m: float = 0.05


@dataclass(frozen=True)
class Belt:
    """A conveyor belt: marks where storage units are brought, and is in the way."""

    id: str
    at: Cell
    length: int = 3
    along: str = "x"

    def cells(self) -> Iterator[Cell]:
        column, row = self.at
        for k in range(self.length):
            yield (column + k, row) if self.along == "x" else (column, row + k)

    def beside(self) -> Iterator[Cell]:
        for column, row in self.cells():
            across = ((0, 1), (0, -1)) if self.along == "x" else ((1, 0), (-1, 0))
            for dx, dy in across:
                yield column + dx, row + dy


@dataclass(frozen=True)
class Obstacle:
    """A wall, a divider between areas or a blocker: a block of cells."""

    id: str
    kind: ObstacleKind
    at: Cell
    columns: int = 1
    rows: int = 1

    def cells(self) -> Iterator[Cell]:
        for dx in range(self.columns):
            for dy in range(self.rows):
                yield self.at[0] + dx, self.at[1] + dy


@dataclass(frozen=True)
class Floor:
    """What stands still, and what robots can do on it."""

    columns: int = 20
    rows: int = 15
    cell_m: float = 1.0
    motors: Motors = field(default_factory=Motors)
    laser: Laser = field(default_factory=Laser)
    belts: Mapping[str, Belt] = field(default_factory=dict)
    obstacles: Mapping[str, Obstacle] = field(default_factory=dict)

    @cached_property
    def solid(self) -> Mapping[Cell, str]:
        """Cells that nothing else can be in, and what is there."""
        return {cell: thing.id for thing in self.fixed for cell in thing.cells()}

    @property
    def fixed(self) -> list[Belt | Obstacle]:
        things: list[Belt | Obstacle] = [*self.belts.values()]
        things += self.obstacles.values()
        return things

    def contains(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows

    def spot(self, cell: Cell) -> tuple[float, float]:
        return cell[0] * self.cell_m, cell[1] * self.cell_m

    def cell_at(self, x_m: float, y_m: float) -> Cell | None:
        """The grid point at exactly this place; None between grid points."""
        if not (math.isfinite(x_m) and math.isfinite(y_m)):
            return None
        cell = round(x_m / self.cell_m), round(y_m / self.cell_m)
        off_m = math.dist((x_m, y_m), self.spot(cell))
        return cell if off_m <= NEAR_GRID_M else None

    def drops_of(self, belt: Belt) -> list[Cell]:
        """Where a robot can stand beside a belt."""
        beside = dict.fromkeys(belt.beside())
        return [c for c in beside if self.contains(c) and c not in self.solid]


@dataclass(frozen=True)
class Turn:
    """A part of a command: quarters to turn, negative ones clockwise."""

    quarters: int
    final_deg: float
    """Not wrapped, so that passing 0 or 180 is nothing special."""
    iterations_left: int


@dataclass(frozen=True)
class Along:
    """A part of a command: straight on along an axis."""

    axis: str
    to: Cell


@dataclass(frozen=True)
class Robot:
    id: str
    cell: Cell
    """Where it stands, or what it leaves."""
    x_m: float
    y_m: float
    yaw_deg: float = 0.0
    state: State = State.IDLE
    command: Command | None = None
    parts: tuple[Turn | Along, ...] = ()
    """What is left of the command; the first is under way."""
    entering: Cell | None = None
    wheel_mps: float = 0.0
    turn_dps: float = 0.0
    blocked_s: float = 0.0
    """How much longer it says so."""
    halting: bool = False
    """It ends its command at the next grid point."""
    carries: str | None = None
    tower_m: float = 0.0
    tower_goal_m: float = 0.0
    slip_dps: float = 0.0
    """A disturbance that turns the robot, for experiments."""

    @property
    def lifting(self) -> bool:
        return self.tower_m != self.tower_goal_m

    @property
    def status(self) -> Status:
        if self.state is State.BLOCKED:
            return Status.BLOCKED
        if self.state is State.IDLE and self.command is None:
            return Status.IDLE
        return Status.BUSY

    @property
    def doing(self) -> str:
        """In words."""
        if self.lifting:
            return "moving its tower"
        if self.state is State.IDLE and self.command is not None:
            return f"about to {self.command.verb}"
        return str(self.state)

    @property
    def holds(self) -> tuple[Cell, ...]:
        return (self.cell,) if self.entering is None else (self.cell, self.entering)


@dataclass(frozen=True)
class Item:
    id: str
    sku: str


@dataclass(frozen=True)
class Shelf:
    """One level of a storage unit, the lowest is 1."""

    level: int
    items: tuple[Item, ...] = ()


@dataclass(frozen=True)
class StorageUnit:
    """Where it was put down; while a robot holds it, the robot's pose is its own."""

    id: str
    cell: Cell
    yaw_deg: float = 0.0
    shelves: tuple[Shelf, ...] = ()
    held_by: str | None = None


@dataclass(frozen=True)
class Person:
    """Walks a round from cell to cell, and lets robots pass."""

    id: str
    route: tuple[Cell, ...]
    speed_mps: float
    cell: Cell
    x_m: float
    y_m: float
    goal: int = 0
    entering: Cell | None = None
    waited_s: float = 0.0
    backwards: bool = False

    @property
    def holds(self) -> tuple[Cell, ...]:
        return (self.cell,) if self.entering is None else (self.cell, self.entering)


@dataclass(frozen=True)
class Warehouse:
    name: str = "Empty"
    id: str = "empty"
    floor: Floor = field(default_factory=Floor)
    robots: Mapping[str, Robot] = field(default_factory=dict)
    storage_units: Mapping[str, StorageUnit] = field(default_factory=dict)
    people: Mapping[str, Person] = field(default_factory=dict)
    people_walk: bool = False
    """While people do not walk, they are not on the floor at all."""
    ticks: int = 0
    owed_s: float = 0.0
    """Of time that passed and is less than a tick."""

    @property
    def belts(self) -> Mapping[str, Belt]:
        return self.floor.belts

    @property
    def obstacles(self) -> Mapping[str, Obstacle]:
        return self.floor.obstacles

    @property
    def present(self) -> Mapping[str, Person]:
        return self.people if self.people_walk else {}

    def names(self) -> Iterator[str]:
        yield from self.robots
        yield from self.storage_units
        yield from self.belts
        yield from self.obstacles
        yield from self.people
        for unit in self.storage_units.values():
            for shelf in unit.shelves:
                for item in shelf.items:
                    yield item.id

    @property
    def is_empty(self) -> bool:
        return next(self.names(), None) is None
