"""Means with intervals, and differences of runs with the same random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Two-sided 95 % points of Student's t by degrees of freedom.
T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
T95_MANY = 1.96


@dataclass(frozen=True)
class Interval:
    """A mean and half the width of its 95 % interval; infinite for a single value."""

    mean: float
    half: float
    count: int

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half


def interval(values: Sequence[float]) -> Interval:
    count = len(values)
    mean = sum(values) / count
    if count < 2:
        return Interval(mean, math.inf, count)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    t = T95[count - 2] if count - 2 < len(T95) else T95_MANY
    return Interval(mean, t * math.sqrt(variance / count), count)


def difference(one: dict[int, float], two: dict[int, float]) -> Interval | None:
    """``one`` less ``two``, seed by seed: what chance they share falls out."""
    seeds = sorted(one.keys() & two.keys())
    if not seeds:
        return None
    return interval([one[seed] - two[seed] for seed in seeds])


def surely_less(one: dict[int, float], two: dict[int, float]) -> bool:
    """Is ``one`` worse on the same seeds, whatever chance does (95 %)?"""
    found = difference(one, two)
    return found is not None and found.count >= 2 and found.high < 0.0
