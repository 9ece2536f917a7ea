"""What lies on which pod, what of it is promised, and where the pods are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CARRIED = -1
"""The place of a pod that is under way or at a station."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The SKUs: how popular, how big, how many come in one replenishment order."""

    weight: NDArray[np.float64]
    space: NDArray[np.float64]
    bundle_units: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.weight)


class Stock:
    """Units by SKU and pod. A unit that an order was promised is no longer ``free``."""

    def __init__(self, catalogue: Catalogue, pods: int, capacity: float) -> None:
        shape = (len(catalogue), pods)
        self.catalogue = catalogue
        self.capacity = capacity
        self.units = np.zeros(shape, np.int16)
        self.free = np.zeros(shape, np.int16)
        self.used = np.zeros(pods)
        self.promised_space = np.zeros(pods)
        """For replenishment orders on their way."""
        self.total = np.zeros(len(catalogue), np.int64)
        self.unasked = np.zeros(len(catalogue), np.int64)
        """Units that no order has asked for: what a new one may still ask for."""
        self.place = np.full(pods, CARRIED, np.int32)
        self.claimed = np.zeros(pods, np.bool_)
        """By a task, so no other may take it."""
        self.used_space = 0.0

    @property
    def pods(self) -> int:
        return self.units.shape[1]

    @property
    def level(self) -> float:
        """Share of all space that is taken."""
        return self.used_space / (self.capacity * self.pods)

    def level_with(self, more_space: float) -> float:
        return (self.used_space + more_space) / (self.capacity * self.pods)

    def room(self) -> NDArray[np.float64]:
        """Space of each pod that is neither taken nor promised."""
        left: NDArray[np.float64] = self.capacity - self.used - self.promised_space
        return left

    def put(self, pod: int, sku: int, units: int) -> None:
        space = float(self.catalogue.space[sku]) * units
        self.units[sku, pod] += units
        self.free[sku, pod] += units
        self.total[sku] += units
        self.unasked[sku] += units
        self.used[pod] += space
        self.used_space += space

    def promise(self, pod: int, sku: int, units: int) -> None:
        self.free[sku, pod] -= units

    def take(self, pod: int, sku: int, units: int) -> None:
        """What was promised leaves the pod."""
        space = float(self.catalogue.space[sku]) * units
        self.units[sku, pod] -= units
        self.total[sku] -= units
        self.used[pod] -= space
        self.used_space -= space
