"""Several hypotheses of where one tag is, kept until the ranges decide.

Two anchors cannot tell a position from its mirror image, and a start among delayed
ranges may settle in the wrong place. Instead of betting, every place that explains the
ranges is followed; evidence (a logarithm) adds up and losers leave.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.compiled import kernel
from shopfloor.tracking.estimate import Bounds
from shopfloor.tracking.systematic import BIAS_SIGMA_M, SHARED

Floats = NDArray[np.float64]
Bits = NDArray[np.int64]

ROWS = 48
# Hypotheses within this of the most probable one are one place in different readings.
ONE_PLACE_M = 1.5
# Natural logarithm: what one range may hold against a hypothesis outside the hall.
MOST_BLAME = 4.0
# A place less probable than this is not worth telling.
NO_SHARE = 1e-4


@dataclass(frozen=True)
class Cluster:
    share: float
    mean: Floats
    covariance: Floats


class Bank:
    """Rows of arrays with room for a fixed number; the first ``count`` are alive."""

    def __init__(self, motion_states: int, links: int) -> None:
        states = motion_states + SHARED + 2 * links
        self.systematic = slice(motion_states, motion_states + SHARED + links)
        self._links = links
        self.means = np.zeros((ROWS, states))
        self.covariances = np.zeros((ROWS, states, states))
        self.evidence = np.zeros(ROWS)
        self.obstructed = np.zeros(ROWS, dtype=np.int64)
        self.count = 0

    def add(self, mean: Floats, covariance: Floats, evidence: float) -> None:
        """Take the next free row, or that of the least probable hypothesis."""
        if self.count < ROWS:
            row = self.count
            self.count += 1
        else:
            row = int(np.argmin(self.evidence))
            if self.evidence[row] > evidence:
                return
        self.means[row] = mean
        self.covariances[row] = covariance
        self.evidence[row] = evidence
        self.obstructed[row] = 0

    def release(self, link: int) -> None:
        """Forget what was thought of one link, for another to take its place."""
        self.obstructed &= ~np.int64(1 << link)
        bias = self.systematic.start + SHARED + link
        for state in (bias, bias + self._links):
            self.means[:, state] = 0.0
            self.covariances[:, state, :] = 0.0
            self.covariances[:, :, state] = 0.0
        self.covariances[:, bias, bias] = BIAS_SIGMA_M**2

    def clusters(self) -> list[Cluster]:
        """The different places, most probable first, each with its own spread."""
        states = self.means.shape[1]
        weights = np.exp(self.evidence[: self.count])
        weights /= weights.sum()
        found: list[Cluster] = []
        left = 1.0
        while left > NO_SHARE:
            mean, covariance = np.empty(states), np.empty((states, states))
            share, left = join_heaviest(
                self.means, self.covariances, weights, mean, covariance
            )
            found.append(Cluster(share, mean, covariance))
        found.sort(key=lambda cluster: -cluster.share)
        return found

    def settle(self) -> None:
        """Count evidence from the best hypothesis, so that it never overflows."""
        self.evidence[: self.count] -= self.evidence[: self.count].max()

    def keep_inside(self, bounds: Bounds, edge_m: float, *, stop: bool) -> None:
        keep_inside(
            self.means,
            self.evidence,
            self.count,
            (bounds.min_x_m, bounds.min_y_m),
            (bounds.max_x_m, bounds.max_y_m),
            edge_m,
            stop,
        )


@kernel
def keep_inside(
    means: Floats,
    evidence: Floats,
    count: int,
    lows: tuple[float, float],
    highs: tuple[float, float],
    edge_m: float,
    stop: bool,
) -> None:
    """Bring back what left the hall, and hold it against the hypothesis."""
    for row in range(count):
        for axis in range(2):
            inside = min(max(means[row, axis], lows[axis]), highs[axis])
            outside_m = abs(means[row, axis] - inside)
            if outside_m > 0.0:
                evidence[row] -= min(MOST_BLAME, 0.5 * (outside_m / edge_m) ** 2)
                means[row, axis] = inside
                if stop:
                    means[row, axis + 2] = 0.0


@kernel
def join_heaviest(
    means: Floats,
    covariances: Floats,
    weights: Floats,
    mean: Floats,
    covariance: Floats,
) -> tuple[float, float]:
    """Moments of the heaviest row and all near it, whose weights become zero.

    Returns the weight joined and the weight left.
    """
    size = means.shape[1]
    seed = int(np.argmax(weights))
    seed_x, seed_y = means[seed, 0], means[seed, 1]
    mean[:] = 0.0
    covariance[:] = 0.0
    share, left = 0.0, 0.0
    near = np.zeros(len(weights), np.bool_)
    for row in range(len(weights)):
        far = max(abs(means[row, 0] - seed_x), abs(means[row, 1] - seed_y))
        if weights[row] > 0.0 and far < ONE_PLACE_M:
            near[row] = True
            share += weights[row]
            for i in range(size):
                mean[i] += weights[row] * means[row, i]
        else:
            left += weights[row]
    for i in range(size):
        mean[i] /= share
    for row in range(len(weights)):
        if not near[row]:
            continue
        part = weights[row] / share
        weights[row] = 0.0
        for i in range(size):
            for j in range(size):
                covariance[i, j] += part * (
                    covariances[row, i, j]
                    + (means[row, i] - mean[i]) * (means[row, j] - mean[j])
                )
    return share, left
