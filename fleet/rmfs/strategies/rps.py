"""Replenishment pod selection: into which pod a bundle goes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.orders import Bundle
from fleet.rmfs.scoring_kernels import demand_of_pods
from fleet.rmfs.strategies.base import Strategy, too_few
from fleet.rmfs.warehouse import Warehouse


@dataclass(frozen=True)
class Sticky:
    """Parameters of strategies that stay with a pod."""

    stick_to_pod: bool = True
    """Fill the chosen pod before another is chosen."""


def fitting(warehouse: Warehouse, bundle: Bundle) -> NDArray[np.int32]:
    """Pods with room for a bundle that stand in a place or wait for bundles."""
    stock = warehouse.stock
    fits = stock.room() >= bundle.space
    fits &= (stock.place >= 0) & ~stock.claimed
    return np.flatnonzero(fits).astype(np.int32)


class _Best(Strategy):
    """The pod with the lowest cost, kept while it has room."""

    Parameters: ClassVar[type[Any]] = Sticky

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        super().__init__(parameters, chance)
        self._kept = -1

    def pod_for(self, warehouse: Warehouse, bundle: Bundle) -> int | None:
        stock, kept = warehouse.stock, self._kept
        if self.parameters.stick_to_pod and kept >= 0:
            room = stock.capacity - stock.used[kept] - stock.promised_space[kept]
            if room >= bundle.space and stock.place[kept] >= 0:
                return kept
        pods = fitting(warehouse, bundle)
        if len(pods) == 0:
            return None
        self._kept = int(pods[np.argmin(self.costs(warehouse, bundle, pods))])
        return self._kept

    def costs(
        self, warehouse: Warehouse, bundle: Bundle, pods: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        raise NotImplementedError


class RandomPod(Strategy):
    """Any pod with room."""

    problem, name = "rps", "Random"

    def pod_for(self, warehouse: Warehouse, bundle: Bundle) -> int | None:
        pods = fitting(warehouse, bundle)
        return int(pods[self.chance.randrange(len(pods))]) if len(pods) else None


class Emptiest(_Best):
    """The pod with most room."""

    problem, name = "rps", "Emptiest"

    def costs(
        self, warehouse: Warehouse, bundle: Bundle, pods: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        return -warehouse.stock.room()[pods]


class Closest(_Best):
    """The pod nearest to a replenishment station."""

    problem, name = "rps", "Closest"

    def costs(
        self, warehouse: Warehouse, bundle: Bundle, pods: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        stations = [s for s in warehouse.replenishment_stations if s.open]
        ways = [warehouse.manhattan(station.cell, pods) for station in stations]
        return np.min(ways, axis=0) if ways else np.zeros(len(pods))


class LeastDemand(_Best):
    """The pod of which waiting orders want least."""

    problem, name = "rps", "LeastDemand"

    def costs(
        self, warehouse: Warehouse, bundle: Bundle, pods: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        demand = warehouse.backlog.demand
        found = np.empty(len(pods))
        skus = np.flatnonzero(demand).astype(np.int32)
        demand_of_pods(warehouse.stock.free, pods, skus, demand, found)
        return found


@dataclass(frozen=True)
class TurnoverParameters:
    """How pods and SKUs are sorted into classes."""

    classes: int = 3
    stick_to_pod: bool = True

    def mistakes(self) -> list[str]:
        return too_few(self, "classes")


class Turnover(_Best):
    """A pod near the pick stations for what is asked for often."""

    problem, name = "rps", "Turnover"
    Parameters = TurnoverParameters

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        super().__init__(parameters, chance)
        self._rank: NDArray[np.float64] = np.zeros(0)
        self._by_class: dict[int, int] = {}

    def pod_for(self, warehouse: Warehouse, bundle: Bundle) -> int | None:
        if len(self._rank) == 0:
            weight = warehouse.stock.catalogue.weight
            rank = np.empty(len(weight))
            rank[np.argsort(-weight)] = np.arange(len(weight)) / len(weight)
            self._rank = rank
        each = int(self._rank[bundle.sku] * self.parameters.classes)
        self._kept = self._by_class.get(each, -1)
        found = super().pod_for(warehouse, bundle)
        self._by_class[each] = self._kept
        return found

    def costs(
        self, warehouse: Warehouse, bundle: Bundle, pods: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        ways = [
            warehouse.manhattan(station.cell, pods)
            for station in warehouse.pick_stations
        ]
        way = np.min(ways, axis=0)
        share = np.empty(len(pods))
        share[np.argsort(way, kind="stable")] = np.arange(len(pods)) / len(pods)
        classes = self.parameters.classes
        apart = np.abs(
            (share * classes).astype(int) - int(self._rank[bundle.sku] * classes)
        )
        room: NDArray[np.float64] = warehouse.stock.room()[pods]
        cost: NDArray[np.float64] = apart * 1e6 - room
        return cost


STRATEGIES = (RandomPod, Emptiest, Closest, LeastDemand, Turnover)
