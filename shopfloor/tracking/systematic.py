"""What makes all ranges wrong in the same way, and is learnt while tracking.

Antennas and clocks add an offset, anchors hang higher than tags are carried, and each
link has a bias of its own. Nobody measures that before the first walk, so it is part of
what is estimated: an offset and a rise that all links share, and a small bias a link.
A rise near zero hardly changes a range, so several first guesses are followed.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.anchors import Anchor
from shopfloor.tracking.calibration import Calibration

Floats = NDArray[np.float64]

# Common offset and rise, in this order.
SHARED = 2
UNKNOWN_RISES_M = (0.0, 1.0, 2.0, 3.0)
UNKNOWN_RISE_SIGMA_M = 0.5
# Anchors' heights are known, the tag's is not: a hand, a belt, a helmet.
USUAL_TAG_HEIGHT_M = 1.2
TAG_HEIGHT_SIGMA_M = 0.4
KNOWN_RISE_SIGMA_M = 0.05
OFFSET_SIGMA_M = 0.09
BIAS_SIGMA_M = 0.03
SETTLED_OFFSET_SIGMA_M = 0.01
SETTLED_BIAS_SIGMA_M = 0.01
# Anchors that span less than this part of their length stand in a row.
ROW_SHARE = 0.1


@dataclass(frozen=True)
class Systematic:
    """One belief: offset, rise, then a bias a link, with how unsure they are."""

    mean: Floats
    covariance: Floats
    weight: float = 0.0  # natural logarithm

    @property
    def offset_m(self) -> float:
        return float(self.mean[0])

    @property
    def rise_m(self) -> float:
        return float(self.mean[1])


@dataclass(frozen=True)
class Learnt:
    """The same for people: how far the ranges of this tag are off, and why."""

    offset_m: float
    offset_sigma_m: float
    rise_m: float
    rise_sigma_m: float
    biases_m: Mapping[str, float]


def in_a_row(anchors: Iterable[Anchor]) -> bool:
    """Then an offset looks like another place, and none must be assumed."""
    places = np.array([(a.x_m, a.y_m) for a in anchors])
    length, width = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)[:2]
    return bool(width < ROW_SHARE * length)


def first_guesses(
    anchors: Iterable[Anchor],
    links: int,
    calibration: Calibration,
    tag_height_m: float | None,
) -> list[Systematic]:
    """What may be true of these anchors before any range was heard."""
    given = {a.id: a for a in anchors}
    measured = given.keys() <= calibration.links.keys()
    settled = measured or in_a_row(given.values())
    hung = all(a.z_m is not None for a in given.values())
    rises: tuple[float, ...] = (0.0,)
    rise_sigma_m = KNOWN_RISE_SIGMA_M
    if hung and tag_height_m is None and not measured:
        rise_sigma_m = TAG_HEIGHT_SIGMA_M
    elif not hung and not settled:
        rises, rise_sigma_m = UNKNOWN_RISES_M, UNKNOWN_RISE_SIGMA_M
    offset_sigma_m = SETTLED_OFFSET_SIGMA_M if settled else OFFSET_SIGMA_M
    bias_sigma_m = SETTLED_BIAS_SIGMA_M if settled else BIAS_SIGMA_M
    sigmas = [offset_sigma_m, rise_sigma_m, *[bias_sigma_m] * links]
    covariance = np.diag(np.square(sigmas))
    weight = -math.log(len(rises))
    return [
        Systematic(np.array([0.0, rise_m, *[0.0] * links]), covariance, weight)
        for rise_m in rises
    ]
