"""How often a policy passes alleys that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fleet.bodies.model import Vehicle
from shopfloor.learning.alley_kernels import REACHED
from shopfloor.learning.alleys import Alleys, Courses
from shopfloor.learning.network import Array

UNSEEN_FROM = 1_000_000
"""Seeds from here on are never learned from."""
Choose = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Trial:
    alleys: int
    passed: tuple[bool, ...]
    reward: float
    """Mean of the sums."""

    @property
    def success(self) -> float:
        return sum(self.passed) / self.alleys


def tried(vehicle: Vehicle, choose: Choose, seeds: range) -> Trial:
    """Every alley once, from its start."""
    alleys = Alleys(vehicle, Courses.unseen(vehicle, seeds), len(seeds), again=False)
    seen = alleys.start_all()
    over, passed = (np.zeros(len(seeds), np.bool_) for _ in range(2))
    rewards = np.zeros(len(seeds))
    for _ in range(alleys.most_steps):
        seen, reward, ends = alleys.step(choose(seen))
        rewards += np.where(over, 0.0, reward)
        passed |= ~over & (ends == REACHED)
        over |= ends != 0
        if over.all():
            break
    return Trial(len(seeds), tuple(bool(p) for p in passed), float(rewards.mean()))
