"""Several hypotheses of where one tag is, kept until the ranges decide.

Two anchors cannot tell a position from its mirror image, and a start among delayed
ranges may settle in the wrong place. Instead of betting, every place that explains the
ranges is followed; evidence adds up, losers leave, and row 0 is what is believed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LARGEST = 24
# Natural logarithms: this much less probable is given up; this much better is believed.
GIVEN_UP = 9.0
BELIEVED = 1.0
# Alike: nearer than this in place, and in velocity or heading.
ALIKE_M = 0.3
ALIKE_REST = 0.5


@dataclass
class Bank:
    means: Floats
    covariances: Floats
    evidence: Floats
    delayed: Floats  # hypothesis x anchor: probability of an obstructed link

    @classmethod
    def of(cls, states: int, anchors: int) -> "Bank":
        return cls(
            np.empty((0, states)),
            np.empty((0, states, states)),
            np.empty(0),
            np.empty((0, anchors)),
        )

    def __len__(self) -> int:
        return len(self.evidence)

    def add(
        self, mean: Floats, covariance: Floats, evidence: float, delayed: Floats
    ) -> None:
        self.means = np.concatenate([self.means, mean[None]])
        self.covariances = np.concatenate([self.covariances, covariance[None]])
        self.evidence = np.append(self.evidence, evidence)
        self.delayed = np.concatenate([self.delayed, delayed[None]])

    def tidy(self) -> None:
        """Let the believed one be first, drop losers and doubles."""
        if len(self) < 2:
            self.evidence[:] = 0.0
            return
        best = int(np.argmax(self.evidence))
        if self.evidence[best] < self.evidence[0] + BELIEVED:
            best = 0
        order = [best, *(int(i) for i in np.argsort(-self.evidence) if i != best)]
        floor = self.evidence.max() - GIVEN_UP
        kept: list[int] = []
        for row in order:
            if len(kept) == LARGEST or (kept and self.evidence[row] < floor):
                break
            if not any(self._alike(row, other) for other in kept):
                kept.append(row)
        if kept != list(range(len(self))):
            self.means = self.means[kept]
            self.covariances = self.covariances[kept]
            self.evidence = self.evidence[kept]
            self.delayed = self.delayed[kept]
        self.evidence -= self.evidence[0]

    def _alike(self, one: int, other: int) -> bool:
        apart = self.means[one] - self.means[other]
        if len(apart) == 3:
            apart[2] = (apart[2] + np.pi) % (2.0 * np.pi) - np.pi
        near = bool(np.hypot(apart[0], apart[1]) < ALIKE_M)
        return near and bool(np.abs(apart[2:]).max() < ALIKE_REST)

    def shares(self) -> Floats:
        """How probable each hypothesis is."""
        weights = np.exp(self.evidence - self.evidence.max())
        return np.asarray(weights / weights.sum(), dtype=np.float64)
