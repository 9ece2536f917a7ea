"""Make a plan better for as long as there is time; it is a true plan all along."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distances import DistanceTables
from fleet.grid.errors import GridRefused
from fleet.grid.pibt import seeded
from fleet.grid.refine_kernels import improve, note
from fleet.grid.sweep_kernels import BUSY, flip

ROUNDS_AT_ONCE = 20
MOST_BYTES = 1024 * 1024 * 1024
WORD = 64


class Refinement:
    """The tables that ``improve`` works on; ``plan()`` at any time."""

    def __init__(
        self,
        tables: DistanceTables,
        goals: NDArray[np.int32],
        plan: NDArray[np.int32],
        *,
        seed: int = 0,
        rings: bool = True,
    ) -> None:
        floor = tables.floor
        steps = len(plan)
        self._stride = WORD * -(-(floor.width + 2) // WORD)
        spots_of = (floor.rows + 1) * self._stride + floor.columns + 1
        room = (floor.height + 2) * self._stride
        needed = steps * (6 * room // 8 + 4 * floor.count)
        if needed > MOST_BYTES:
            raise GridRefused(
                f"to make a plan of {steps:,} steps better takes {needed:,} bytes, "
                f"above the limit of {MOST_BYTES:,}"
            )
        self._tables, self._rings = tables, rings
        self._row = tables.rows_of(goals)
        self._random = seeded(seed)
        self._number = np.full(room, -1, np.int32)
        self._number[spots_of] = np.arange(floor.count)
        self._paths = np.ascontiguousarray(spots_of[plan].T, np.int32)
        self._goals = spots_of[goals].astype(np.int32)
        self._shortest = tables.table[self._row, plan[0]].astype(np.int32)
        away = self._paths != self._goals[:, None]
        self._costs = (steps - np.argmax(away[:, ::-1], axis=1)).astype(np.int32)
        self._costs[~away.any(axis=1)] = 0
        self._who = np.full((steps, floor.count), -1, np.int32)
        self._taken = np.zeros((steps, 5, room // WORD), np.uint64)
        walls = np.packbits(self._number < 0, bitorder="little")
        self._taken[:, BUSY] = walls.view("<u8")
        for robot, path in enumerate(self._paths):
            note(robot, path, self._number, self._who)
            flip(path, self._stride, self._taken)
        self._reached = np.zeros((steps, room // WORD), np.uint64)
        self._weights = np.ones(3)

    @property
    def cost(self) -> int:
        return int(self._costs.sum(dtype=np.int64))

    @property
    def best_possible(self) -> bool:
        return bool((self._costs == self._shortest).all())

    def go_on(self, rounds: int) -> int:
        """Try some groups; how many steps are saved."""
        return int(
            improve(
                rounds,
                self._tables.table,
                self._row,
                self._goals,
                self._number,
                self._stride,
                self._rings,
                self._random,
                self._shortest,
                self._paths,
                self._costs,
                self._who,
                self._taken,
                self._reached,
                self._weights,
            )
        )

    def plan(self) -> NDArray[np.int32]:
        """Numbers of cells, ``[step, robot]``, up to the last arrival."""
        steps = int(self._costs.max(initial=0)) + 1
        return np.ascontiguousarray(self._number[self._paths[:, :steps]].T)


def refine(
    tables: DistanceTables,
    goals: NDArray[np.int32],
    plan: NDArray[np.int32],
    *,
    seed: int = 0,
    rings: bool = True,
    may_go_on: Callable[[], bool],
) -> NDArray[np.int32]:
    """A plan that costs no more, found until ``may_go_on`` says no.

    Every robot has a goal. Without ``rings`` the plan has none before and after.
    """
    if not plan.shape[1]:
        return plan
    better = Refinement(tables, goals, plan, seed=seed, rings=rings)
    while may_go_on() and not better.best_possible:
        better.go_on(ROUNDS_AT_ONCE)
    return better.plan()
