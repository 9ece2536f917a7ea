"""Distances on a floor, made where they are first asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.floor import Floor
from shopfloor.experiments.rmfs.traffic.distances import fill_distances, fill_reach

LIFT_CELLS = 12
"""A ride by lift counts like so many cells."""


class Ways:
    """One row of the table for each goal."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        goals = [*floor.places.tolist(), *(_cells(floor))]
        self.row_of = np.full(floor.count, -1, np.int32)
        self.row_of[goals] = np.arange(len(goals), dtype=np.int32)
        self.table = np.empty((len(goals), floor.count), np.uint16)
        self._made = np.zeros(len(goals), np.bool_)
        self._queue = np.zeros(floor.count + 1, np.int32)
        self._queued = np.zeros(floor.count, np.uint8)
        self._from: dict[int, NDArray[np.uint16]] = {}

    def row(self, goal: int) -> int:
        row = int(self.row_of[goal])
        if not self._made[row]:
            floor = self._floor
            fill_distances(
                floor.into,
                floor.kind,
                floor.zone,
                floor.behind,
                floor.lift_of,
                LIFT_CELLS,
                goal,
                self.table[row],
                self._queue,
                self._queued,
            )
            self._made[row] = True
        return row

    def to(self, goal: int) -> NDArray[np.uint16]:
        found: NDArray[np.uint16] = self.table[self.row(goal)]
        return found

    def reach(self, start: int) -> NDArray[np.uint16]:
        """From a cell to every cell."""
        if start not in self._from:
            if len(self._from) > 512:
                self._from.clear()
            floor = self._floor
            found = np.empty(floor.count, np.uint16)
            fill_reach(
                floor.out,
                floor.lift,
                floor.kind,
                floor.zone,
                LIFT_CELLS,
                start,
                found,
                self._queue,
                self._queued,
            )
            self._from[start] = found
        return self._from[start]


def _cells(floor: Floor) -> list[int]:
    return [floor.number[zone.cells[-1]] for zone in floor.stations]
