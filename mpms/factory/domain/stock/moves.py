"""What is moved of a lot: every change of stock is one line that stays for ever."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal

CARRIER = "@"  # before the name of a robot that carries something


class MoveKind(enum.StrEnum):
    RECEIVE = "receive"
    PICK = "pick"  # from a place onto a robot, as two moves
    USE = "use"  # from a robot into the tank
    RETURN = "return"  # from a robot back to a place, as two moves
    CORRECT = "correct"  # what a stock-take found
    TRANSFER = "transfer"  # from a place to another, as two moves


@dataclass(frozen=True)
class Move:
    """One row of ``stock_moves``. Either an order or a reason says why."""

    lot: str
    place: str
    grams: int
    kind: MoveKind
    by: str
    order_number: str | None = None
    line: int | None = None
    reason: str = ""
    moved_at: datetime | None = field(default=None, compare=False)
    id: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Held:
    """How much of a lot lies at a place."""

    lot: str
    place: str
    grams: int


def on_robot(robot: str) -> str:
    """The place in the stock where a robot's load lies."""
    return CARRIER + robot


def robot_of(place: str) -> str | None:
    """The robot that such a place stands for."""
    return place[1:] if place.startswith(CARRIER) else None


def grams_of(kg: Decimal | float | str) -> int:
    """Whole grams; a scale that shows less than a gram is rounded half to even."""
    return int((Decimal(str(kg)) * 1000).to_integral_value(ROUND_HALF_EVEN))


def kg_of(grams: int) -> Decimal:
    return Decimal(grams) / 1000
