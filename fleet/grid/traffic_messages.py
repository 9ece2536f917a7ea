"""What robots report to grid traffic, and what it tells them and the fleet."""

from __future__ import annotations

from dataclasses import dataclass

from fleet.grid.floor import Cell


@dataclass(frozen=True)
class Reached:
    """The robot is in this cell with all of its body, and out of the ones before."""

    cell: Cell


@dataclass(frozen=True)
class Held:
    """The answer to a halt: the robot stands, or will stand, in this cell."""

    cell: Cell


@dataclass(frozen=True)
class Delayed:
    """The robot is slow or stopped; others drive around it until it reports again."""


@dataclass(frozen=True)
class Dead:
    """The robot stays where it is; it is an obstacle until it reports again."""


Report = Reached | Held | Delayed | Dead


@dataclass(frozen=True)
class Go:
    """The robot may enter these cells too, in this order, without asking again."""

    robot: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Halt:
    """The robot must not enter this cell nor what follows; it answers with Held."""

    robot: str
    before: Cell


@dataclass(frozen=True)
class Arrived:
    """The robot stands at its goal."""

    robot: str
    cell: Cell


@dataclass(frozen=True)
class NoWay:
    """At present no way leads to the robot's goal; it waits and makes way."""

    robot: str
    goal: Cell


@dataclass(frozen=True)
class Stuck:
    """Robots block each other and no plan was found; it is tried again later."""

    robots: tuple[str, ...]


@dataclass(frozen=True)
class Silent:
    """The robot has had somewhere to go and reported nothing; it counts as delayed."""

    robot: str
    for_s: float


Message = Go | Halt | Arrived | NoWay | Stuck | Silent
