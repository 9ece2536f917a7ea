"""What a robot can be told: ``mov``, ``movx``, ``movy``, ``rot`` and ``lift``.

A command is the same as a topic's message and as a line of text; the line is what
people type and what a file of commands holds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from shopfloor.warehouse.errors import FieldWrong, VerbUnknown

ROBOT, UNIT = "kiva", "unit"
CLOCKWISE = ("cw", "clockwise", "-1")
COUNTER_CLOCKWISE = ("ccw", "counterclockwise", "counter-clockwise", "1", "+1")
CARRY, DROP = 1, 0


def full_id(prefix: str, name: str) -> str:
    """``3`` is short for ``kiva3``, as the topics of a robot are called."""
    return f"{prefix}{name}" if name.isdecimal() else name


@dataclass(frozen=True)
class Mov:
    """To a grid point: along x, then along y."""

    robot: str
    x_m: float
    y_m: float
    verb = "mov"

    def line(self) -> str:
        return f"mov {self.x_m:g} {self.y_m:g} {self.robot}"


@dataclass(frozen=True)
class MovX:
    robot: str
    dist_m: float
    verb = "movx"

    def line(self) -> str:
        return f"movx {self.dist_m:g} {self.robot}"


@dataclass(frozen=True)
class MovY:
    robot: str
    dist_m: float
    verb = "movy"

    def line(self) -> str:
        return f"movy {self.dist_m:g} {self.robot}"


@dataclass(frozen=True)
class Rot:
    """A quarter turn."""

    robot: str
    clockwise: bool
    verb = "rot"

    def line(self) -> str:
        return f"rot {'cw' if self.clockwise else 'ccw'} {self.robot}"


@dataclass(frozen=True)
class Lift:
    """1: carry the storage unit; 0: drop it."""

    robot: str
    status: int
    unit: str
    verb = "lift"

    def line(self) -> str:
        return f"lift {self.status} {self.robot} {self.unit}"


Command = Mov | MovX | MovY | Rot | Lift
USAGE = {
    "mov": "mov X Y KIVA_ID",
    "movx": "movx DIST KIVA_ID",
    "movy": "movy DIST KIVA_ID",
    "rot": "rot cw|ccw KIVA_ID",
    "lift": "lift 1|0 KIVA_ID SHELF_ID",
}


def turns_clockwise(text: str) -> bool:
    if text.lower() in CLOCKWISE:
        return True
    if text.lower() in COUNTER_CLOCKWISE:
        return False
    raise FieldWrong(f"dir is cw or ccw, not {text!r}")


def lift_of(robot: str, status: int, unit: str) -> Lift:
    if status not in (CARRY, DROP):
        raise FieldWrong(f"status is 1 (carry) or 0 (drop), not {status}")
    return Lift(full_id(ROBOT, robot), status, full_id(UNIT, unit))


def parse_command(line: str) -> Command:
    """Raises VerbUnknown or FieldWrong with what is wrong."""
    words = line.split("#", 1)[0].split()
    if not words:
        raise VerbUnknown("an empty line is no command")
    verb = re.sub(r"^\./", "", words[0]).lower()
    if verb not in USAGE:
        known = ", ".join(USAGE)
        raise VerbUnknown(f"there is no verb {words[0]!r}, only {known}")
    if len(words) != len(USAGE[verb].split()):
        raise VerbUnknown(f"{verb} is used like this: {USAGE[verb]}")
    return _made(verb, words[1:])


def _made(verb: str, words: Sequence[str]) -> Command:
    match verb:
        case "mov":
            robot = full_id(ROBOT, words[2])
            return Mov(robot, _number("X", words[0]), _number("Y", words[1]))
        case "movx":
            return MovX(full_id(ROBOT, words[1]), _number("DIST", words[0]))
        case "movy":
            return MovY(full_id(ROBOT, words[1]), _number("DIST", words[0]))
        case "rot":
            return Rot(full_id(ROBOT, words[1]), turns_clockwise(words[0]))
    status = int(words[0]) if words[0].isdecimal() else -1
    return lift_of(words[1], status, words[2])


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FieldWrong(f"{name} is a number in metres, not {text!r}")
    return value
