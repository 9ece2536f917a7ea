"""What the tracker is told about the plant, and what it answers."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """Where a tag can be at all: the hall."""

    min_x_m: float
    min_y_m: float
    max_x_m: float
    max_y_m: float

    def contain(self, x_m: float, y_m: float, edge_m: float) -> bool:
        return (
            self.min_x_m - edge_m <= x_m <= self.max_x_m + edge_m
            and self.min_y_m - edge_m <= y_m <= self.max_y_m + edge_m
        )


@dataclass(frozen=True)
class Tuning:
    """What a plant may want to change; the defaults suit people indoors.

    ``doubt_below`` and ``challenger_handicap`` are natural logarithms: how badly the
    ranges have to fit before other places are looked for, and how much less probable
    such a place counts at first.
    """

    noise_m: float = 0.10
    usual_delayed_share: float = 0.30
    obstruction_s: float = 1.5
    window_s: float = 1.5
    window_ranges: int = 16
    start_after_s: float = 1.0
    lost_after_s: float = 5.0
    doubt_below: float = -1.6
    doubt_every: int = 6
    challenger_handicap: float = 4.0
    edge_m: float = 0.3


@dataclass(frozen=True)
class Estimate:
    """Where the tag is believed to be, and how surely.

    ``alternatives``: other places (x, y, probability) that explain the ranges too, such
    as the mirror image over the line of two anchors.
    """

    at_s: float
    x_m: float
    y_m: float
    covariance: tuple[tuple[float, float], tuple[float, float]]
    velocity_mps: tuple[float, float] | None
    heading_rad: float | None
    alternatives: tuple[tuple[float, float, float], ...] = ()

    @property
    def sigma_m(self) -> float:
        """Standard deviation along the worse axis."""
        (a, b), (_, d) = self.covariance
        return math.sqrt((a + d) / 2.0 + math.hypot((a - d) / 2.0, b))
