"""The floor in a test-drive: its outline, and where machines spent their time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

SQUARE_M = 0.5
Square = tuple[int, int]
"""Column and row of a square of the floor, counted from the origin of the map."""


@dataclass(frozen=True)
class Floor:
    """What a picture of the floor shows beneath the heat."""

    left_m: float
    bottom_m: float
    width_m: float
    height_m: float
    walls: Sequence[tuple[float, float, float, float]] = ()
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass
class FloorTimes:
    """Seconds of machines by square."""

    seconds: dict[Square, float] = field(default_factory=dict)

    def stand(self, x_m: float, y_m: float, seconds: float) -> None:
        if seconds > 0.0:
            square = (math.floor(x_m / SQUARE_M), math.floor(y_m / SQUARE_M))
            self.seconds[square] = self.seconds.get(square, 0.0) + seconds

    def follow(self, way: Sequence[tuple[float, float]], seconds: float) -> None:
        """From point to point, as fast everywhere."""
        lengths = [math.dist(*pair) for pair in pairwise(way)]
        whole = sum(lengths)
        for (start, end), length in zip(pairwise(way), lengths, strict=True):
            share = length / whole if whole > 0.0 else 1.0 / len(lengths)
            self.drive(start, end, share * seconds)

    def drive(
        self, start: tuple[float, float], end: tuple[float, float], seconds: float
    ) -> None:
        """Straight on."""
        steps = max(1, math.ceil(2.0 * math.dist(start, end) / SQUARE_M))
        for step in range(steps):
            share = (step + 0.5) / steps
            x_m = start[0] + share * (end[0] - start[0])
            y_m = start[1] + share * (end[1] - start[1])
            self.stand(x_m, y_m, seconds / steps)
