"""The next step of a team of which some stand fast, and a way out of a jam."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distance_kernels import FAR
from fleet.grid.distances import DistanceTables
from fleet.grid.floor import Floor
from fleet.grid.lacam import solve_lacam
from fleet.grid.pibt import Scratch, seeded
from fleet.grid.pibt_kernels import NOBODY, pibt_step

Cells = NDArray[np.int32]


class Team:
    """Plans on numbers of cells; -1 is no goal. No ring ever turns."""

    def __init__(self, floor: Floor, *, seed: int = 0, swap: bool = True) -> None:
        self.floor = floor
        self.tables = DistanceTables(floor)
        self._jammed = DistanceTables(floor)
        self._seed = seed
        self._swap = swap
        self._random = seeded(seed)
        self._scratch = Scratch(floor.count, 0)

    def close(self, cells: Iterable[int]) -> None:
        self.tables.close(cells)

    def steps_left(self, at: Cells, goals: Cells) -> NDArray[np.int64]:
        """To the goal; FAR where no way leads there, 0 without a goal."""
        rows = self.tables.rows_of(goals)
        steps = self.tables.table[rows, at] if len(self.tables.table) else 0 * at
        return np.where(rows >= 0, steps.astype(np.int64), 0)

    def step(
        self, at: Cells, goals: Cells, fast: NDArray[np.bool_], order: Sequence[int]
    ) -> Cells:
        """Where each goes next; who stands ``fast`` stays, who is first goes first."""
        if len(self._scratch.frames) <= len(at):
            self._scratch = Scratch(self.floor.count, 2 * len(at))
        scratch, tables = self._scratch, self.tables
        row = tables.rows_of(goals)
        to = np.where(fast, at, NOBODY).astype(np.int32)
        scratch.on[at] = np.arange(len(at), dtype=np.int32)
        scratch.taken[at[fast]] = np.flatnonzero(fast)
        served = pibt_step(
            self.floor.neighbours,
            self.floor.degree,
            tables.closed,
            tables.fork,
            tables.table,
            row,
            at,
            np.array(order, np.int32),
            self._swap,
            False,
            self._random,
            scratch.on,
            scratch.taken,
            scratch.frames,
            to,
        )
        scratch.on[at] = NOBODY
        scratch.taken[at] = NOBODY
        scratch.taken[to[to >= 0]] = NOBODY
        return to if served else at

    def way_out(
        self, at: Cells, goals: Cells, fast: NDArray[np.bool_], most_expansions: int
    ) -> Cells | None:
        """A whole plan ``[step, robot]`` that takes everybody to the goal, or None."""
        tables = self._jammed
        closed = set(np.flatnonzero(self.tables.closed).tolist())
        tables.close(closed | set(at[fast].tolist()))
        movers = np.flatnonzero(~fast)
        wanted = goals[movers]
        rows = tables.rows_of(wanted)
        if (wanted < 0).all():
            return None
        lost = (rows >= 0) & (tables.table[rows, at[movers]] == FAR)
        wanted = np.where(lost, NOBODY, wanted).astype(np.int32)
        self._seed += 1
        plan, _ = solve_lacam(
            tables,
            at[movers],
            wanted,
            seed=self._seed,
            swap=self._swap,
            rings=False,
            most_expansions=most_expansions,
        )
        if plan is None:
            return None
        whole = np.tile(at, (len(plan), 1))
        whole[:, movers] = plan
        return whole
