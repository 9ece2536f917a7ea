"""Offset and height from the ranges alone, where nobody walked over known positions.

A common offset or an unknown height of the anchors makes every range too long, which
looks like an obstruction of everything and leads a careful filter far astray. With four
anchors only the right correction lets all ranges agree: the one under which they are
most probable is taken, and none at all unless it clearly wins.
"""

from collections.abc import Iterable, Sequence

from shopfloor.tracking.anchors import Anchor, distinct_places
from shopfloor.tracking.calibration import Calibration, Link
from shopfloor.tracking.estimate import Tuning
from shopfloor.tracking.motion import Walking
from shopfloor.tracking.ranges import Range
from shopfloor.tracking.tracker import TagTracker

MOST_RANGES = 1500
FEWEST_ANCHORS = 4
RISES_M = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
OFFSETS_M = (-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
FINE_M = (-0.05, 0.0, 0.05)
# Natural logarithms: what a correction has to gain, in all and per range.
CLEAR_GAIN = 15.0
CLEAR_GAIN_PER_RANGE = 0.02


def self_calibrate(
    ranges: Iterable[Range],
    anchors: Sequence[Anchor],
    *,
    motion: Walking | None = None,
    tuning: Tuning | None = None,
) -> Calibration:
    """One offset and one height for all anchors heard; empty if none is clearly needed.

    The ranges are those of one tag in the order they were taken.
    """
    taken = list(ranges)[:MOST_RANGES]
    heard = {one.anchor for one in taken}
    used = [anchor for anchor in anchors if anchor.id in heard]
    if distinct_places({a.id: a for a in used}) < FEWEST_ANCHORS:
        return Calibration()
    noise_m = (tuning or Tuning()).noise_m

    def corrected(offset_m: float, rise_m: float) -> Calibration:
        link = Link(offset_m, 1.0, rise_m, noise_m)
        return Calibration({anchor.id: link for anchor in used})

    def score(offset_m: float, rise_m: float) -> float:
        calibration = corrected(offset_m, rise_m)
        tracker = TagTracker(anchors, motion, calibration=calibration, tuning=tuning)
        for one in taken:
            tracker.absorb(one.at_s, one.anchor, one.range_m)
        return tracker.log_likelihood

    neutral = score(0.0, 0.0)
    coarse = max(
        (score(offset_m, rise_m), offset_m, rise_m)
        for offset_m in OFFSETS_M
        for rise_m in RISES_M
    )
    best, offset_m, rise_m = max(
        (score(coarse[1] + step, coarse[2]), coarse[1] + step, coarse[2])
        for step in FINE_M
    )
    if best < neutral + max(CLEAR_GAIN, CLEAR_GAIN_PER_RANGE * len(taken)):
        return Calibration()
    return corrected(offset_m, rise_m)
