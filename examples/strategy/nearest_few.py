"""A strategy of one's own: one class, found by its entry point.

Pods go to one of the nearest places, by chance, so that robots do not all drive to the
same corner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fleet.rmfs.strategies.base import Strategy
from fleet.rmfs.strategies.psa import free_places
from fleet.rmfs.warehouse import Warehouse


@dataclass(frozen=True)
class Parameters:
    """They appear in files, in --set psa.places=5 and in the list of strategies."""

    places: int = 3


class NearestFew(Strategy):
    """One of the few nearest free places, by chance."""

    problem, name = "psa", "NearestFew"
    Parameters = Parameters

    def place_for(self, warehouse: Warehouse, pod: int, cell: int) -> int:
        places = free_places(warehouse)
        steps = warehouse.steps_from(cell)[places]
        nearest = np.argsort(steps, kind="stable")[: self.parameters.places]
        return int(places[nearest[self.chance.randrange(len(nearest))]])
