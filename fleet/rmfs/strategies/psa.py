"""Pod storage assignment: to which place a pod is brought back."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.strategies.base import Strategy, too_few
from fleet.rmfs.warehouse import Warehouse


def free_places(warehouse: Warehouse) -> NDArray[np.int32]:
    places = warehouse.places
    found: NDArray[np.int32] = places[warehouse.place_free[places]]
    return found


class RandomPlace(Strategy):
    """Any free place."""

    problem, name = "psa", "Random"

    def place_for(self, warehouse: Warehouse, pod: int, cell: int) -> int:
        places = free_places(warehouse)
        return int(places[self.chance.randrange(len(places))])


class Nearest(Strategy):
    """The free place that is nearest to drive to."""

    problem, name = "psa", "Nearest"

    def place_for(self, warehouse: Warehouse, pod: int, cell: int) -> int:
        places = free_places(warehouse)
        return int(places[np.argmin(warehouse.steps_from(cell)[places])])


class Fixed(Strategy):
    """Where the pod stood at the beginning; the nearest free place if that is taken."""

    problem, name = "psa", "Fixed"

    def place_for(self, warehouse: Warehouse, pod: int, cell: int) -> int:
        home = int(warehouse.home[pod])
        if warehouse.place_free[home]:
            return home
        places = free_places(warehouse)
        return int(places[np.argmin(warehouse.steps_from(home)[places])])


@dataclass(frozen=True)
class StationBasedParameters:
    """Which stations pods are to stand close to."""

    pick_stations: bool = True
    """Pick stations; otherwise replenishment stations."""


class StationBased(Strategy):
    """The free place from which the way to a station is shortest."""

    problem, name = "psa", "StationBased"
    Parameters = StationBasedParameters

    def place_for(self, warehouse: Warehouse, pod: int, cell: int) -> int:
        stations = (
            warehouse.pick_stations
            if self.parameters.pick_stations
            else warehouse.replenishment_stations
        )
        places = free_places(warehouse)
        ways = [warehouse.steps_to(station.cell)[places] for station in stations]
        return int(places[np.argmin(np.min(ways, axis=0))])


@dataclass(frozen=True)
class TurnoverParameters:
    """How pods and places are sorted into classes."""

    classes: int = 3

    def mistakes(self) -> list[str]:
        return too_few(self, "classes")


class Turnover(Strategy):
    """Pods that are asked for often stand close to the pick stations.

    Places are sorted by their way to a pick station, pods by the popularity of what
    lies on them; a pod goes to the nearest free place of its class.
    """

    problem, name = "psa", "Turnover"
    Parameters = TurnoverParameters

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        super().__init__(parameters, chance)
        self._class_of_place: NDArray[np.int64] | None = None

    def place_for(self, warehouse: Warehouse, pod: int, cell: int) -> int:
        classes = self.parameters.classes
        if self._class_of_place is None:
            ways = [
                warehouse.steps_to(station.cell)[warehouse.places]
                for station in warehouse.pick_stations
            ]
            order = np.argsort(np.min(ways, axis=0), kind="stable")
            share = np.empty(len(order))
            share[order] = np.arange(len(order)) / len(order)
            found = np.zeros(warehouse.floor.count, np.int64)
            found[warehouse.places] = (share * classes).astype(np.int64)
            self._class_of_place = found
        stock = warehouse.stock
        speed = stock.catalogue.weight @ np.minimum(stock.units, 8)
        mine = int(np.mean(speed > speed[pod]) * classes)
        places = free_places(warehouse)
        apart = np.abs(self._class_of_place[places] - min(mine, classes - 1))
        steps = warehouse.steps_from(cell)[places]
        return int(places[np.argmin(apart * 100_000 + steps)])


STRATEGIES = (RandomPlace, Nearest, Fixed, StationBased, Turnover)
