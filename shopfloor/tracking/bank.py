"""Several hypotheses of where one tag is, kept until the ranges decide.

Two anchors cannot tell a position from its mirror image, and a start among delayed
ranges may settle in the wrong place. Instead of betting, every place that explains the
ranges is followed; evidence (a logarithm) adds up and losers leave.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROWS = 24
# Hypotheses within this of the most probable one are one place in different readings.
ONE_PLACE_M = 1.5


@dataclass(frozen=True)
class Cluster:
    share: float
    mean: Floats
    covariance: Floats


class Bank:
    """Rows of arrays with room for a fixed number; the first ``count`` are alive."""

    def __init__(self, states: int) -> None:
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

    def clusters(self) -> list[Cluster]:
        """The different places, most probable first, each with its own spread."""
        alive = slice(0, self.count)
        weights = np.exp(self.evidence[alive] - self.evidence[alive].max())
        weights /= weights.sum()
        left = list(np.argsort(-weights, kind="stable"))
        found: list[Cluster] = []
        while left:
            seed = self.means[left[0], :2]
            rows = [
                row
                for row in left
                if np.abs(self.means[row, :2] - seed).max() < ONE_PLACE_M
            ]
            left = [row for row in left if row not in rows]
            found.append(self._join(rows, weights))
        return sorted(found, key=lambda cluster: -cluster.share)

    def _join(self, rows: list[int], weights: Floats) -> Cluster:
        share = float(weights[rows].sum())
        if len(rows) == 1:
            row = rows[0]
            return Cluster(share, self.means[row].copy(), self.covariances[row].copy())
        inside = weights[rows] / share
        means = self.means[rows]
        mean = inside @ means
        apart = means - mean
        covariance = np.einsum("k,kij->ij", inside, self.covariances[rows])
        covariance += np.einsum("k,ki,kj->ij", inside, apart, apart)
        return Cluster(share, mean, covariance)
