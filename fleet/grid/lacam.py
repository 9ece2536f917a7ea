"""LaCAM: one plan for all robots, found whenever there is one and time is enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distances import DistanceTables
from fleet.grid.lacam_kernels import (
    CONSTRAINTS,
    FULL,
    GOAL_NODE,
    GOING_ON,
    NODES,
    OPEN,
    SOLVED,
    UNSOLVABLE,
    rehash,
    search,
)
from fleet.grid.pibt import Scratch, first_order, seeded

FIRST_NODES = 1024
MOST_CELLS_KEPT = 100_000_000
"""Robots times configurations; more would not fit into memory."""
EXPANSIONS_AT_ONCE = 50


class Search:
    """The arrays of one search; they grow while it goes on."""

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
        self.row = tables.rows_of(goals)
        self.swap, self.rings = swap, rings
        self.random = seeded(seed)
        robots = len(starts)
        self.scratch = Scratch(tables.floor.count, robots)
        self.counts = np.zeros(4, np.int64)
        self.configurations = np.empty((FIRST_NODES, robots), np.int32)
        self.orders = np.empty((FIRST_NODES, robots), np.int32)
        self.parents = np.full(FIRST_NODES, -1, np.int32)
        self.heads = np.full(FIRST_NODES, -1, np.int32)
        self.tails = np.full(FIRST_NODES, -1, np.int32)
        self.places = np.full(4 * FIRST_NODES, -1, np.int32)
        self.stack = np.empty(2 * FIRST_NODES, np.int32)
        self.constraints = np.empty((8 * FIRST_NODES, 5), np.int32)
        self._begin(starts)

    def _begin(self, starts: NDArray[np.int32]) -> None:
        self.configurations[0] = starts
        self.orders[0] = first_order(self.tables, self.row, starts)
        self.constraints[0] = (-1, -1, -1, 0, -1)
        self.heads[0] = self.tails[0] = self.stack[0] = 0
        self.counts[:] = (1, 1, 1, -1)
        rehash(1, self.configurations, self.places)

    def go_on(self, expansions: int) -> int:
        floor, scratch = self.tables.floor, self.scratch
        state = search(
            expansions,
            floor.neighbours,
            floor.degree,
            self.tables.closed,
            self.tables.fork,
            self.tables.table,
            self.row,
            self.swap,
            self.rings,
            self.random,
            scratch.on,
            scratch.taken,
            scratch.frames,
            self.counts,
            self.configurations,
            self.orders,
            self.parents,
            self.places,
            self.stack,
            self.heads,
            self.tails,
            self.constraints,
        )
        if state == FULL and self._grow():
            return GOING_ON
        return int(state)

    def _grow(self) -> bool:
        nodes, robots = self.configurations.shape
        if self.counts[NODES] + 1 >= nodes:
            if 2 * nodes * max(1, robots) > MOST_CELLS_KEPT:
                return False
            for name in ("configurations", "orders", "parents", "heads", "tails"):
                setattr(self, name, _doubled(getattr(self, name)))
            self.places = np.empty(2 * len(self.places), np.int32)
            rehash(self.counts[NODES], self.configurations, self.places)
        if self.counts[OPEN] + 1 >= len(self.stack):
            self.stack = _doubled(self.stack)
        if self.counts[CONSTRAINTS] + 6 >= len(self.constraints):
            self.constraints = _doubled(self.constraints)
        return len(self.constraints) < MOST_CELLS_KEPT

    def plan(self) -> NDArray[np.int32]:
        """Configurations from the start to the goals, ``[step, robot]``."""
        nodes = []
        node = int(self.counts[GOAL_NODE])
        while node >= 0:
            nodes.append(node)
            node = int(self.parents[node])
        return np.ascontiguousarray(self.configurations[nodes[::-1]])


def solve_lacam(
    tables: DistanceTables,
    starts: NDArray[np.int32],
    goals: NDArray[np.int32],
    *,
    seed: int = 0,
    swap: bool = True,
    rings: bool = True,
    may_go_on: Callable[[], bool] = lambda: True,
    most_expansions: int | None = None,
) -> tuple[NDArray[np.int32] | None, bool]:
    """A plan, or None and whether it is certain that there is none.

    ``may_go_on`` is asked between portions of work; a goal of -1 is any cell.
    """
    found = Search(tables, starts, goals, seed=seed, swap=swap, rings=rings)
    done = 0
    while may_go_on() and (most_expansions is None or done < most_expansions):
        state = found.go_on(EXPANSIONS_AT_ONCE)
        done += EXPANSIONS_AT_ONCE
        if state == SOLVED:
            return found.plan(), True
        if state != GOING_ON:
            return None, state == UNSOLVABLE
    return None, False


def _doubled(array: NDArray[np.int32]) -> NDArray[np.int32]:
    grown = np.full((2 * len(array), *array.shape[1:]), -1, np.int32)
    grown[: len(array)] = array
    return grown
