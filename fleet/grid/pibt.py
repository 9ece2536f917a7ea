"""PIBT: the next step of all robots, again and again.

Always answers at once and never collides. It promises no arrival where passages are
dead ends; LaCAM does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distances import DistanceTables
from fleet.grid.lacam_kernels import later_order
from fleet.grid.pibt_kernels import FRAME_SIZE, NOBODY, pibt_step


class Scratch:
    """Room that steps share; empty between them."""

    def __init__(self, cells: int, robots: int) -> None:
        self.on = np.full(cells, NOBODY, np.int32)
        self.taken = np.full(cells, NOBODY, np.int32)
        self.frames = np.empty((robots + 1, FRAME_SIZE), np.int32)


def seeded(seed: int) -> NDArray[np.uint64]:
    """The state of a row of random numbers; never 0."""
    return np.random.default_rng(seed).integers(1, 2**63, 1, dtype=np.uint64)


def first_order(
    tables: DistanceTables, row: NDArray[np.int32], at: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Who has the longest way goes first; who has none, last."""
    steps = np.where(row >= 0, tables.table[row, at].astype(np.int64), -1)
    return np.argsort(-steps, kind="stable").astype(np.int32)


class Pibt:
    """Robots that step together; ``at`` and ``goals`` are numbers of cells."""

    def __init__(
        self,
        tables: DistanceTables,
        starts: NDArray[np.int32],
        goals: NDArray[np.int32],
        *,
        seed: int = 0,
        swap: bool = True,
        rings: bool = True,
    ) -> None:
        self.tables = tables
        self.at = starts.copy()
        self.goals = goals.copy()
        self.row = tables.rows_of(goals)
        self.swap, self.rings = swap, rings
        self.order = first_order(tables, self.row, starts)
        self._random = seeded(seed)
        self._scratch = Scratch(tables.floor.count, len(starts))

    def step(self) -> NDArray[np.int32]:
        """Everybody's next cell, which is where they are from now on."""
        floor, scratch = self.tables.floor, self._scratch
        to = np.full(len(self.at), NOBODY, np.int32)
        scratch.on[self.at] = np.arange(len(self.at), dtype=np.int32)
        pibt_step(
            floor.neighbours,
            floor.degree,
            self.tables.closed,
            self.tables.fork,
            self.tables.table,
            self.row,
            self.at,
            self.order,
            self.swap,
            self.rings,
            self._random,
            scratch.on,
            scratch.taken,
            scratch.frames,
            to,
        )
        scratch.on[self.at] = NOBODY
        scratch.taken[self.at] = NOBODY
        scratch.taken[to] = NOBODY
        self.at = to
        new = np.empty_like(self.order)
        later_order(self.order, to, self.tables.table, self.row, new)
        self.order = new
        return to

    def arrived(self) -> NDArray[np.bool_]:
        return np.asarray((self.goals < 0) | (self.at == self.goals), np.bool_)

    def send(self, robots: NDArray[np.int64], goals: NDArray[np.int32]) -> None:
        """New goals for some robots."""
        self.goals[robots] = goals
        self.row = self.tables.rows_of(self.goals)

    def replace_goals(
        self, choose: Callable[[NDArray[np.int64]], NDArray[np.int32]]
    ) -> int:
        """Lifelong: who has arrived gets a new goal at once; how many did."""
        arrived = np.flatnonzero(self.goals == self.at)
        if len(arrived):
            self.send(arrived, choose(arrived))
        return len(arrived)
