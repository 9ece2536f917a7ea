"""What each link measures when the distance is known: the cheapest accuracy there is.

An antenna's delay makes every range of a link too long by the same amount, and nobody
writes down how high the anchors hang. A short walk over known positions gives both.
Doing it before doubting ranges matters: uncalibrated, the honest ranges are the ones
that look wrong.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.anchors import Anchor, by_id
from shopfloor.tracking.errors import CalibrationRefused, UnknownAnchor, UnusableRange

Floats = NDArray[np.float64]

FEWEST_RANGES = 5
# A scale is only fitted where the distances differ by more than this.
SPAN_FOR_SCALE_M = 2.0
# Clocks are good to parts per million: a scale far from one is geometry gone wrong.
# The fit counts as if so many metres of lever had been seen with a scale of one.
STIFFNESS_M = 1.0
LARGEST_SLOPE = 0.03
QUIETEST_M = 0.04
HIGHEST_M = 4.0
HEIGHT_STEP_M = 0.05
HUBER = 1.5
ROUNDS = 15
# What is left after a fit hardly changes from range to range, so it averages out less
# than noise would; the filter is told a larger one.
CAUTION = 1.5


@dataclass(frozen=True)
class KnownRange:
    anchor: str
    range_m: float
    x_m: float
    y_m: float


@dataclass(frozen=True)
class Link:
    """measured = offset + scale x distance, and what is left is noise."""

    offset_m: float
    scale: float
    rise_m: float
    noise_m: float


@dataclass(frozen=True)
class Calibration:
    """Corrections by anchor; a link without one is taken as it is."""

    links: Mapping[str, Link] = field(default_factory=dict)

    def correct(self, anchor: str, range_m: float) -> float:
        link = self.links.get(anchor)
        if link is None:
            return range_m
        return max(0.0, (range_m - link.offset_m) / link.scale)

    def rise_m(self, anchor: Anchor, tag_height_m: float | None) -> float:
        link = self.links.get(anchor.id)
        return anchor.rise_m(tag_height_m) if link is None else link.rise_m

    def noise_m(self, anchor: str, otherwise_m: float) -> float:
        link = self.links.get(anchor)
        return otherwise_m if link is None else link.noise_m


@dataclass(frozen=True)
class _Samples:
    flat_m: Floats
    range_m: Floats


def calibrate(
    ranges: Iterable[KnownRange],
    anchors: Iterable[Anchor],
    *,
    tag_height_m: float | None = None,
) -> Calibration:
    """Fit offset, scale and noise of every link heard, and the height where unknown."""
    known = by_id(anchors, purpose="a calibration", needed=1)
    grouped: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in ranges:
        anchor = known.get(one.anchor)
        if anchor is None:
            raise UnknownAnchor(one.anchor, sorted(known))
        if not 0.0 <= one.range_m < math.inf:
            raise UnusableRange(one.anchor, one.range_m)
        flat_m = math.hypot(one.x_m - anchor.x_m, one.y_m - anchor.y_m)
        if not math.isfinite(flat_m):
            raise CalibrationRefused(
                f"a known position of a range to anchor {one.anchor!r} is not finite"
            )
        grouped[one.anchor].append((flat_m, one.range_m))
    if not grouped:
        raise CalibrationRefused("there is no range with a known position")
    for name, pairs in grouped.items():
        if len(pairs) < FEWEST_RANGES:
            raise CalibrationRefused(
                f"anchor {name!r} has {len(pairs)} ranges with a known position; "
                f"a calibration needs at least {FEWEST_RANGES}"
            )
    samples = {
        name: _Samples(np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs]))
        for name, pairs in grouped.items()
    }
    rises = {name: known[name].rise_m(tag_height_m) for name in samples}
    unknown = [
        name for name in samples if known[name].z_m is None or tag_height_m is None
    ]
    if any(np.ptp(samples[n].flat_m) > SPAN_FOR_SCALE_M for n in unknown):
        height_m = _common_height(samples, unknown)
        rises |= dict.fromkeys(unknown, height_m)
    return Calibration({n: _fit(s, rises[n])[0] for n, s in samples.items()})


def _common_height(samples: Mapping[str, _Samples], unknown: list[str]) -> float:
    heights = np.arange(0.0, HIGHEST_M + HEIGHT_STEP_M / 2.0, HEIGHT_STEP_M)
    costs = [sum(_fit(samples[n], float(h))[1] for n in unknown) for h in heights]
    return float(heights[int(np.argmin(costs))])


def _fit(samples: _Samples, rise_m: float) -> tuple[Link, float]:
    """A straight line that a minority of delayed ranges does not bend."""
    distance = np.hypot(samples.flat_m, rise_m)
    centre = float(distance.mean())
    scaled = float(np.ptp(samples.flat_m)) > SPAN_FOR_SCALE_M
    excess = samples.range_m - distance
    level, slope = float(np.median(excess)), 0.0
    sigma = QUIETEST_M
    for _ in range(ROUNDS):
        residual = excess - level - slope * (distance - centre)
        middle = np.median(np.abs(residual - np.median(residual)))
        sigma = max(QUIETEST_M, 1.4826 * float(middle))
        size = np.abs(residual) / sigma
        weights = np.where(size <= HUBER, 1.0, HUBER / np.maximum(size, HUBER)) ** 2
        level += float(np.average(residual, weights=weights))
        if scaled:
            lever = distance - centre
            moment = float((weights * lever * lever).sum())
            pull = float((weights * lever * (excess - level)).sum())
            slope = pull / (moment + len(distance) * STIFFNESS_M**2)
            slope = min(max(slope, -LARGEST_SLOPE), LARGEST_SLOPE)
    residual = excess - level - slope * (distance - centre)
    size = np.abs(residual) / QUIETEST_M
    cost = float(np.where(size < 3.0, size**2, 6.0 * size - 9.0).sum())
    offset_m = level - slope * centre
    return Link(offset_m, 1.0 + slope, rise_m, CAUTION * sigma), cost
