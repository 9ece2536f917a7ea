"""The one update that people and robots share: a single range to a single anchor.

A range is direct, or delayed by something in the way; obstructions last, and mostly
delay by the same amount as long as they do. Which links are obstructed is never known,
so the guesses are followed side by side: every hypothesis carries the set of links it
holds for obstructed (a bit each) and their delays (states like any other). A range
splits a hypothesis into the ways it can be read, equal guesses are merged again and
poor ones dropped. A gate would throw away what it cannot explain, and lose the tag as
soon as it is the filter that is wrong.

What spoils every range alike is learnt beside it: a common offset (antennas, clocks),
the rise from tag to anchors, and a small bias of each link. Left out, all of it looks
like motion or obstruction, and the filter is far too sure of the wrong place.

Order of the states: x, y, what else the motion model keeps, common offset, rise, one
bias per link, one delay per link.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.compiled import kernel

Floats = NDArray[np.float64]
Bits = NDArray[np.int64]

# A delayed range is late by anything up to this, all equally probable.
LARGEST_DELAY_M = 3.0
# Every so often a range is nonsense in either direction.
NONSENSE_SHARE = 0.005
NONSENSE_SPAN_M = 20.0
NEAREST_M = 0.05
# The share of obstructed links that keep their delay, and how fast it wanders then.
SAME_DELAY = 0.98
DELAY_DRIFT_M2PS = 0.003
# Hypotheses farther apart are never merged: they may be mirror images.
MERGED_WITHIN_M = 0.3
MERGED_WITHIN_RAD = 0.8
MERGED_WITHIN_RISE_M = 0.8
# Natural logarithm: so much less probable than the best one is dropped.
DROPPED_BELOW = 16.0
NEVER = 1e-12
ROOT_2 = math.sqrt(2.0)
ROOT_2_PI = math.sqrt(2.0 * math.pi)


@kernel
def delayed_density(innovation: float, sigma: float) -> float:
    """How probable an innovation is if something stands in the way."""
    above = math.erfc(-innovation / (ROOT_2 * sigma))
    beyond = math.erfc(-(innovation - LARGEST_DELAY_M) / (ROOT_2 * sigma))
    return max(1e-30, 0.5 * (above - beyond) / LARGEST_DELAY_M)


@kernel
def direct_density(innovation: float, variance: float) -> float:
    return math.exp(-0.5 * innovation * innovation / variance) / (
        ROOT_2_PI * math.sqrt(variance)
    )


@kernel
def forget(mean: Floats, covariance: Floats, state: int) -> None:
    mean[state] = 0.0
    covariance[state, :] = 0.0
    covariance[:, state] = 0.0


@kernel
def correct(
    mean: Floats, covariance: Floats, gain: Floats, innovation: float, spread: float
) -> None:
    size = mean.shape[0]
    for i in range(size):
        mean[i] += gain[i] * innovation
        for j in range(size):
            covariance[i, j] -= gain[i] * gain[j] * spread


@kernel
def absorb_range(
    means: Floats,
    covariances: Floats,
    evidence: Floats,
    obstructed: Bits,
    count: int,
    slot: int,
    first_shared: int,
    anchor_x: float,
    anchor_y: float,
    anchor_rise: float,
    measured: float,
    variance: float,
    usual_share: float,
    memory: float,
    silent_s: float,
) -> tuple[int, float]:
    """Update the first ``count`` rows in place.

    Returns the new count and the logarithm of how probable the range was.
    ``first_shared``: index of the common offset; ``anchor_rise``: what is known of the
    vertical distance between tag and anchor; ``memory``: how much of the link's state
    at its last range, ``silent_s`` ago, still holds.
    """
    size = means.shape[1]
    links = (size - first_shared - 2) // 2
    offset, up = first_shared, first_shared + 1
    bias = first_shared + 2 + slot
    bit, delay = 1 << slot, bias + links
    new_means = np.empty((4 * count, size))
    new_covariances = np.empty((4 * count, size, size))
    new_evidence = np.empty(4 * count)
    new_obstructed = np.empty(4 * count, np.int64)
    toward = np.empty(size)
    gain = np.empty(size)
    same = SAME_DELAY * memory
    made = 0
    for row in range(count):
        mean, covariance = means[row], covariances[row]
        dx, dy = mean[0] - anchor_x, mean[1] - anchor_y
        dz = anchor_rise + mean[up]
        distance = max(NEAREST_M, math.sqrt(dx * dx + dy * dy + dz * dz))
        hx, hy, hz = dx / distance, dy / distance, dz / distance
        for i in range(size):
            toward[i] = (
                covariance[i, 0] * hx + covariance[i, 1] * hy + covariance[i, up] * hz
            )
        # The sphere is curved: its second order keeps wide covariances honest.
        bend = covariance[0, 0] + covariance[1, 1] + covariance[up, up]
        bend -= hx * toward[0] + hy * toward[1] + hz * toward[up]
        bend = min(max(0.0, bend) / distance, distance)
        for i in range(size):
            toward[i] += covariance[i, offset] + covariance[i, bias]
        along = hx * toward[0] + hy * toward[1] + hz * toward[up]
        along += toward[offset] + toward[bias]
        late = mean[offset] + mean[bias]
        innovation = measured - distance - late - 0.5 * bend
        noise = variance + 0.5 * bend * bend
        spread = along + noise
        was_obstructed = obstructed[row] & bit != 0
        share = usual_share + ((1.0 if was_obstructed else 0.0) - usual_share) * memory
        known = evidence[row] + math.log(1.0 - NONSENSE_SHARE)

        # Nonsense: as if it had not been heard.
        new_means[made] = mean
        new_covariances[made] = covariance
        new_obstructed[made] = obstructed[row]
        new_evidence[made] = evidence[row] + math.log(NONSENSE_SHARE / NONSENSE_SPAN_M)
        made += 1

        # Direct: the link's delay, if there was one, is over.
        probable = (1.0 - share) * direct_density(innovation, spread)
        if probable > NEVER:
            new_means[made] = mean
            new_covariances[made] = covariance
            if was_obstructed:
                forget(new_means[made], new_covariances[made], delay)
            for i in range(size):
                gain[i] = 0.0 if i == delay else toward[i] / spread
            correct(new_means[made], new_covariances[made], gain, innovation, spread)
            new_obstructed[made] = obstructed[row] & ~bit
            new_evidence[made] = known + math.log(probable)
            made += 1

        # A new obstruction: all that the range says is how large the delay is.
        fresh = 1.0 - same if was_obstructed else 1.0
        probable = fresh * share * delayed_density(innovation, math.sqrt(spread))
        if probable > NEVER:
            new_means[made] = mean
            new_covariances[made] = covariance
            for i in range(size):
                new_covariances[made, delay, i] = -toward[i]
                new_covariances[made, i, delay] = -toward[i]
            new_means[made, delay] = innovation
            new_covariances[made, delay, delay] = spread
            new_obstructed[made] = obstructed[row] | bit
            new_evidence[made] = known + math.log(probable)
            made += 1

        # The old obstruction: the range tells how the tag moved since.
        if was_obstructed:
            for i in range(size):
                gain[i] = toward[i] + covariance[i, delay]
            gain[delay] += DELAY_DRIFT_M2PS * silent_s
            spread = hx * gain[0] + hy * gain[1] + hz * gain[up] + noise
            spread += gain[offset] + gain[bias] + gain[delay]
            surprise = innovation - mean[delay]
            probable = same * share * direct_density(surprise, spread)
            if probable > NEVER:
                new_means[made] = mean
                new_covariances[made] = covariance
                new_covariances[made, delay, delay] += DELAY_DRIFT_M2PS * silent_s
                for i in range(size):
                    gain[i] /= spread
                correct(new_means[made], new_covariances[made], gain, surprise, spread)
                new_obstructed[made] = obstructed[row]
                new_evidence[made] = known + math.log(probable)
                made += 1
    left = merge(
        new_means[:made],
        new_covariances[:made],
        new_evidence[:made],
        new_obstructed[:made],
        first_shared,
    )
    best = new_evidence[:left].max()
    total = 0.0
    for row in range(left):
        total += math.exp(new_evidence[row] - best)
    kept = 0
    for row in np.argsort(-new_evidence[:left]):
        if kept == means.shape[0] or new_evidence[row] < best - DROPPED_BELOW:
            break
        means[kept] = new_means[row]
        covariances[kept] = new_covariances[row]
        evidence[kept] = new_evidence[row]
        obstructed[kept] = new_obstructed[row]
        kept += 1
    fit = best + math.log(total)
    for row in range(kept):
        evidence[row] -= fit
    return kept, fit


@kernel
def merge(
    means: Floats,
    covariances: Floats,
    evidence: Floats,
    obstructed: Bits,
    first_shared: int,
) -> int:
    """Join rows with the same guess about the same place; return how many are left."""
    size = means.shape[1]
    up = first_shared + 1
    apart = np.empty(size)
    left = 0
    for row in range(means.shape[0]):
        target = -1
        for other in range(left):
            if obstructed[other] != obstructed[row]:
                continue
            far = abs(means[other, 0] - means[row, 0])
            far = max(far, abs(means[other, 1] - means[row, 1]))
            turned = 0.0
            if first_shared == 3:
                turned = abs(means[other, 2] - means[row, 2])
            if abs(means[other, up] - means[row, up]) > MERGED_WITHIN_RISE_M:
                continue
            if far < MERGED_WITHIN_M and turned < MERGED_WITHIN_RAD:
                target = other
                break
        if target < 0:
            if left != row:
                means[left] = means[row]
                covariances[left] = covariances[row]
                evidence[left] = evidence[row]
                obstructed[left] = obstructed[row]
            left += 1
            continue
        high = max(evidence[target], evidence[row])
        old = math.exp(evidence[target] - high)
        new = math.exp(evidence[row] - high)
        share = new / (old + new)
        evidence[target] = high + math.log(old + new)
        for i in range(size):
            apart[i] = means[row, i] - means[target, i]
        for i in range(size):
            means[target, i] += share * apart[i]
            for j in range(size):
                covariances[target, i, j] += (
                    share * (covariances[row, i, j] - covariances[target, i, j])
                    + share * (1.0 - share) * apart[i] * apart[j]
                )
    return left


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
