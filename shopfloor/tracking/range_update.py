"""The one update that people and robots share: a single range to a single anchor.

A range is either direct or delayed by something in the way. Which of the two is never
known, so the update is made as far as it is probable that the range is direct, and the
spread between the two readings stays in the covariance. A gate would throw away what it
cannot explain and lose the tag as soon as it is the filter that is wrong.

A bank of hypotheses (rows) is updated at once; the first two states are always x and y,
whatever else a motion model keeps.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.compiled import kernel

Floats = NDArray[np.float64]

# A delayed range is late by anything up to this, all equally probable.
LARGEST_DELAY_M = 3.0
# Every so often a range is nonsense in either direction.
NONSENSE_SHARE = 0.02
NONSENSE_SPAN_M = 20.0
NEAREST_M = 0.05
ROOT_2 = math.sqrt(2.0)
ROOT_2_PI = math.sqrt(2.0 * math.pi)


@kernel
def delayed_density(innovation: float, sigma: float) -> float:
    """How probable an innovation is if something stands in the way."""
    above = math.erfc(-innovation / (ROOT_2 * sigma))
    beyond = math.erfc(-(innovation - LARGEST_DELAY_M) / (ROOT_2 * sigma))
    late = 0.5 * (above - beyond) / LARGEST_DELAY_M
    return (1.0 - NONSENSE_SHARE) * max(0.0, late) + NONSENSE_SHARE / NONSENSE_SPAN_M


@kernel
def direct_density(innovation: float, variance: float) -> float:
    return math.exp(-0.5 * innovation * innovation / variance) / (
        ROOT_2_PI * math.sqrt(variance)
    )


@kernel
def absorb_range(
    means: Floats,
    covariances: Floats,
    evidence: Floats,
    delayed: Floats,
    anchor_x: float,
    anchor_y: float,
    rise: float,
    measured: float,
    variance: float,
    usual_share: float,
    memory: float,
) -> float:
    """Update every hypothesis in place; return how probable a delay is in the first.

    ``rise``: vertical distance between tag and anchor. ``delayed``: per hypothesis, the
    probability that the link to this anchor was obstructed at its last range, of which
    the share ``memory`` still holds.
    """
    size = means.shape[1]
    gain = np.empty(size)
    for row in range(means.shape[0]):
        mean, covariance = means[row], covariances[row]
        dx, dy = mean[0] - anchor_x, mean[1] - anchor_y
        flat_squared = dx * dx + dy * dy
        distance = max(NEAREST_M, math.sqrt(flat_squared + rise * rise))
        hx, hy = dx / distance, dy / distance
        for i in range(size):
            gain[i] = covariance[i, 0] * hx + covariance[i, 1] * hy
        along = hx * gain[0] + hy * gain[1]
        # The circle is curved: its second order keeps wide covariances honest.
        bend = max(0.0, covariance[0, 0] + covariance[1, 1] - along) / distance
        bend = min(bend, distance)
        innovation = measured - distance - 0.5 * bend
        spread = along + variance + 0.5 * bend * bend
        share = usual_share + (delayed[row] - usual_share) * memory
        direct = (1.0 - share) * direct_density(innovation, spread)
        late = share * delayed_density(innovation, math.sqrt(spread))
        total = direct + late
        trust = direct / total
        evidence[row] += math.log(total)
        delayed[row] = 1.0 - trust
        for i in range(size):
            gain[i] /= spread
            mean[i] += trust * gain[i] * innovation
        factor = trust * (1.0 - trust) * innovation * innovation - trust * spread
        for i in range(size):
            for j in range(size):
                covariance[i, j] += factor * gain[i] * gain[j]
    return float(delayed[0])


@kernel
def absorb_plainly(
    mean: Floats,
    covariance: Floats,
    anchor_x: float,
    anchor_y: float,
    rise: float,
    measured: float,
    variance: float,
) -> None:
    """The textbook update, which believes every range: the comparison."""
    size = mean.shape[0]
    dx, dy = mean[0] - anchor_x, mean[1] - anchor_y
    distance = max(NEAREST_M, math.sqrt(dx * dx + dy * dy + rise * rise))
    hx, hy = dx / distance, dy / distance
    gain = np.empty(size)
    for i in range(size):
        gain[i] = covariance[i, 0] * hx + covariance[i, 1] * hy
    spread = hx * gain[0] + hy * gain[1] + variance
    for i in range(size):
        mean[i] += gain[i] / spread * (measured - distance)
    for i in range(size):
        for j in range(size):
            covariance[i, j] -= gain[i] * gain[j] / spread
