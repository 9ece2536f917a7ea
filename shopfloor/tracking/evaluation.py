"""How far off the filters are on ranges whose true positions are known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shopfloor.tracking.anchors import Anchor
from shopfloor.tracking.calibration import Calibration
from shopfloor.tracking.errors import RangeFileRefused
from shopfloor.tracking.estimate import Bounds, Estimate, Tuning
from shopfloor.tracking.motion import Walking
from shopfloor.tracking.plain import PlainEkf
from shopfloor.tracking.range_files import RecordedRange
from shopfloor.tracking.systematic import Learnt
from shopfloor.tracking.tracker import TagTracker

# In three standard deviations: the squared Mahalanobis distance stays below nine.
THREE_SIGMA_SQUARED = 9.0


@dataclass
class Errors:
    """Errors of one filter, x and y apart, one pair per range."""

    x_m: list[float] = field(default_factory=list)
    y_m: list[float] = field(default_factory=list)

    def note(self, x_m: float, y_m: float, truth_m: tuple[float, float]) -> None:
        self.x_m.append(x_m - truth_m[0])
        self.y_m.append(y_m - truth_m[1])

    def distances(self) -> list[float]:
        return [math.hypot(x, y) for x, y in zip(self.x_m, self.y_m, strict=True)]

    @property
    def mean_m(self) -> float:
        return float(np.mean(self.distances()))

    @property
    def rms_m(self) -> float:
        return float(np.sqrt(np.mean(np.square(self.distances()))))

    @property
    def p95_m(self) -> float:
        return float(np.percentile(self.distances(), 95))

    @property
    def worst_m(self) -> float:
        return max(self.distances())


@dataclass
class Evaluation:
    ours: Errors = field(default_factory=Errors)
    plain: Errors = field(default_factory=Errors)
    plain_calibrated: Errors = field(default_factory=Errors)
    within_three_sigma: int = 0
    not_yet_located: int = 0
    restarts: int = 0
    learnt: dict[str, Learnt] = field(default_factory=dict)
    """By tag, at the end of the recording."""

    @property
    def consistency(self) -> float:
        """Share of the positions whose truth lies within three sigma."""
        return self.within_three_sigma / len(self.ours.x_m)


def mahalanobis_squared(estimate: Estimate, truth_m: tuple[float, float]) -> float:
    dx, dy = estimate.x_m - truth_m[0], estimate.y_m - truth_m[1]
    (a, b), (_, d) = estimate.covariance
    return (d * dx * dx - 2.0 * b * dx * dy + a * dy * dy) / (a * d - b * b)


def evaluate(
    recorded: Sequence[RecordedRange],
    anchors: Sequence[Anchor],
    *,
    calibration: Calibration | None = None,
    motion: Walking | None = None,
    bounds: Bounds | None = None,
    tuning: Tuning | None = None,
) -> Evaluation:
    """Run tracker and textbook filter over a recording, tag by tag.

    The textbook filter knows no calibration either; a second one that does is kept
    beside it. Both start where the tracker found the tag.
    """
    if all(one.truth_m is None for one in recorded):
        raise RangeFileRefused("no range has a true position (true_x, true_y)")
    result = Evaluation()
    for tag in dict.fromkeys(one.tag for one in recorded):
        tracker = TagTracker(
            anchors, motion, bounds=bounds, calibration=calibration, tuning=tuning
        )
        plain: tuple[PlainEkf, PlainEkf] | None = None
        for one in (r for r in recorded if r.tag == tag):
            estimate = tracker.update(one.at_s, one.anchor, one.range_m)
            if estimate is None:
                result.not_yet_located += 1
                continue
            if plain is None:
                start = (estimate.x_m, estimate.y_m)
                plain = (
                    PlainEkf(anchors, motion, start=start),
                    PlainEkf(anchors, motion, start=start, calibration=calibration),
                )
            raw = plain[0].update(one.at_s, one.anchor, one.range_m)
            calibrated = plain[1].update(one.at_s, one.anchor, one.range_m)
            if one.truth_m is None:
                continue
            result.ours.note(estimate.x_m, estimate.y_m, one.truth_m)
            result.plain.note(*raw, one.truth_m)
            result.plain_calibrated.note(*calibrated, one.truth_m)
            distance = mahalanobis_squared(estimate, one.truth_m)
            result.within_three_sigma += distance <= THREE_SIGMA_SQUARED
        result.restarts += tracker.restarts
        if tracker.learnt is not None:
            result.learnt[tag] = tracker.learnt
    if not result.ours.x_m:
        raise RangeFileRefused("no tag could be located: two anchors must be heard")
    return result
