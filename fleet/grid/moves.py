"""Cells become what a robot is told: straight on so many cells, left, right, around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

Cell = tuple[int, int]


class Heading(Enum):
    """The way a robot looks, as a step of columns and rows; rows grow to the south."""

    EAST = (1, 0)
    SOUTH = (0, 1)
    WEST = (-1, 0)
    NORTH = (0, -1)


CLOCKWISE = tuple(Heading)


@dataclass(frozen=True)
class Straight:
    cells: int


class Turn(Enum):
    RIGHT = 1
    AROUND = 2
    LEFT = 3


Move = Straight | Turn


def moves_of(cells: Sequence[Cell], heading: Heading) -> tuple[list[Move], Heading]:
    """From the first cell along all others; also where the robot looks then."""
    moves: list[Move] = []
    for (x0, y0), (x1, y1) in pairwise(cells):
        try:
            wanted = Heading((x1 - x0, y1 - y0))
        except ValueError:
            raise ValueError(f"({x1}, {y1}) is not beside ({x0}, {y0})") from None
        quarter_turns = (CLOCKWISE.index(wanted) - CLOCKWISE.index(heading)) % 4
        if quarter_turns:
            moves.append(Turn(quarter_turns))
            heading = wanted
        if moves and isinstance(moves[-1], Straight):
            moves[-1] = Straight(moves[-1].cells + 1)
        else:
            moves.append(Straight(1))
    return moves, heading
