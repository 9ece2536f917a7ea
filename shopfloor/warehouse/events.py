"""What a step tells: what became of commands, and what robots did.

High level: a command, from accepted or refused to its end. Low level: the turns and
drives that a command is made of, and every change of a robot's state.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shopfloor.warehouse.commands import Command
from shopfloor.warehouse.errors import WarehouseRefused
from shopfloor.warehouse.things import State, Status


class Outcome(StrEnum):
    DONE = "done"
    BLOCKED = "blocked"
    FAILED = "failed"
    HALTED = "halted"


@dataclass(frozen=True)
class Accepted:
    command: Command


@dataclass(frozen=True)
class Refused:
    """Nothing has changed."""

    command: Command
    error: WarehouseRefused


@dataclass(frozen=True)
class Part:
    """A robot begins with a part of its command: ``rot`` or a drive on an axis."""

    robot: str
    line: str


@dataclass(frozen=True)
class Turned:
    """How exact a turn was, before the mark on the floor straightened the robot."""

    robot: str
    off_deg: float
    iterations: int


@dataclass(frozen=True)
class Became:
    robot: str
    state: State
    status: Status


@dataclass(frozen=True)
class Ended:
    command: Command
    outcome: Outcome
    reason: str = ""


Event = Accepted | Refused | Part | Turned | Became | Ended
