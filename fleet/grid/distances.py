"""Distance tables, made when a goal is first used and kept while the floor stays.

One row a goal, two bytes a cell: 1,000 goals on 5,700 cells take 11 MB.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distance_kernels import FAR, fill_distances
from fleet.grid.errors import GridRefused
from fleet.grid.floor import Floor

MOST_BYTES = 512 * 1024 * 1024
"""Of one table; goals nobody uses are forgotten when it is full."""
MOST_CELLS = FAR
"""Longer ways than this do not fit into two bytes."""


class DistanceTables:
    """Rows of steps to goals; ``row_of`` says which one belongs to a goal."""

    def __init__(self, floor: Floor, most_bytes: int = MOST_BYTES) -> None:
        if floor.count > MOST_CELLS:
            raise GridRefused(
                f"a floor of {floor.count:,} free cells is above the limit of "
                f"{MOST_CELLS:,} for grid traffic"
            )
        self.floor = floor
        self.closed = np.zeros(floor.count, np.uint8)
        self.fork = _forks(floor, self.closed)
        self._most_rows = max(1, most_bytes // (2 * floor.count))
        self._row_of = np.full(floor.count, -1, np.int32)
        self._used = 0
        self.table = np.empty((0, floor.count), np.uint16)

    def rows_of(self, goals: NDArray[np.int32]) -> NDArray[np.int32]:
        """The row of each goal; -1 stays -1 (no goal). All are valid together.

        Rows that were given before may be void, and ``table`` another array.
        """
        wanted = np.unique(goals[goals >= 0])
        new = wanted[self._row_of[wanted] < 0]
        if self._used + len(new) > self._most_rows:
            if len(wanted) > self._most_rows:
                raise GridRefused(
                    f"distance tables of {len(wanted):,} goals do not fit into "
                    f"{self._most_rows * 2 * self.floor.count:,} bytes"
                )
            self.forget()
            new = wanted
        if len(new):
            self._add(new)
        rows = np.full(len(goals), -1, np.int32)
        rows[goals >= 0] = self._row_of[goals[goals >= 0]]
        return rows

    def row_of(self, goal: int) -> int:
        return int(self.rows_of(np.array([goal], np.int32))[0])

    def steps(self, start: int, goal: int) -> int | None:
        """Of the shortest way; None: there is none."""
        row = self.row_of(goal)
        steps = int(self.table[row, start])
        return None if steps == FAR else steps

    def close(self, cells: Iterable[int]) -> None:
        """Exactly these cells are closed from now on."""
        closed = np.zeros(self.floor.count, np.uint8)
        closed[list(cells)] = 1
        if not np.array_equal(closed, self.closed):
            self.closed = closed
            self.fork = _forks(self.floor, closed)
            self.forget()

    def forget(self) -> None:
        self._row_of[:] = -1
        self._used = 0

    def _add(self, goals: NDArray[np.int32]) -> None:
        needed = self._used + len(goals)
        if needed > len(self.table):
            room = min(max(needed, 2 * len(self.table)), self._most_rows)
            grown = np.empty((room, self.floor.count), np.uint16)
            grown[: self._used] = self.table[: self._used]
            self.table = grown
        rows = np.arange(self._used, needed, dtype=np.int32)
        floor = self.floor
        places = (floor.rows + 1) * (floor.width + 2) + floor.columns + 1
        fill_distances(floor.width + 2, places, self.closed, goals, rows, self.table)
        self._row_of[goals] = rows
        self._used = needed


def _forks(floor: Floor, closed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Cells with three open ways that are no dead ends of one cell."""
    beside, exists = floor.neighbours, floor.neighbours >= 0
    shut = exists & ((closed[beside] != 0) | (floor.degree[beside] == 1))
    forks: NDArray[np.uint8] = (floor.degree >= 3) & ~shut.any(axis=1)
    return forks.astype(np.uint8)
