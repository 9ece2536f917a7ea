"""Paths of all robots for a window ahead, planned in whole steps: WHCA* and LaCAM.

Plans are made from where robots stand now, again and again. Robots drive in continuous
time: of a plan they take which way to go and who enters a cell first, so that a robot
that is late never meets another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.grid.pibt import Scratch, seeded
from fleet.grid.space_time_kernels import plan_window
from fleet.rmfs.floor import STORAGE, Floor
from shopfloor.experiments.rmfs import drive_kernels as drive
from shopfloor.experiments.rmfs.config_search import ConfigSearch
from shopfloor.experiments.rmfs.traffic import arrays as traffic

TRIES = 4
"""A robot without a path plans first in the next try, at last without one."""
UNREACHED = 65535


class Windows:
    """Plans for the traffic kernel."""

    def __init__(self, floor: Floor, planner: Any, robots: int, now: float) -> None:
        given = planner.parameters
        self.steps = max(2, round(given.window_s / max(given.step_s, 1e-3)))
        self.next_at = now
        self._every_s = max(0.1, given.every_s)
        self._expansions = getattr(given, "expansions", 0)
        self._neighbours, self._degree = _lanes(floor)
        cells = floor.count
        self._random = seeded(planner.chance.randrange(1 << 30))
        self._reserved = np.empty((self.steps + 1, cells), np.int32)
        self._seen = np.full((self.steps + 1) * cells, -1, np.int32)
        self._states = np.empty(((self.steps + 1) * cells, 3), np.int32)
        self._heads = np.empty(UNREACHED + 2 * self.steps + 4, np.int32)
        self._scratch = Scratch(cells, robots)
        self._stamp = 0

    def plan_if_due(self, t: traffic.Traffic, now: float) -> None:
        if now < self.next_at:
            return
        self.next_at = now + self._every_s
        t.plan[:] = -1
        at = np.ascontiguousarray(t.whole[:, traffic.FRONT])
        row = np.ascontiguousarray(t.whole[:, traffic.ROW])
        phase, goal = t.whole[:, traffic.PHASE], t.whole[:, traffic.GOAL]
        drives = (phase != traffic.IDLE) & (phase != traffic.BUSY) & (at != goal)
        drives &= t.table[row, at] != UNREACHED
        moving = np.flatnonzero(drives).astype(np.int32)
        if not len(moving):
            return
        rank = t.real[moving, drive.RANK]
        order = moving[np.argsort(rank, kind="stable")]
        if self._expansions:
            self._search(t, at, row, order)
        else:
            self._one_after_the_other(t, at, row, order)

    def _one_after_the_other(
        self,
        t: traffic.Traffic,
        at: NDArray[np.int32],
        row: NDArray[np.int32],
        order: NDArray[np.int32],
    ) -> None:
        left_out: list[int] = []
        for _ in range(TRIES):
            stuck = plan_window(
                self._neighbours,
                self._degree,
                t.table,
                row,
                order,
                at,
                self._random,
                self._reserved,
                self._seen,
                self._stamp,
                self._states,
                self._heads,
                t.plan,
            )
            self._stamp += len(at) + 1
            if stuck < 0:
                break
            rest = order[order != stuck]
            order = np.concatenate([[stuck], rest]).astype(np.int32)
            left_out.append(int(stuck))
        else:
            t.plan[left_out[-1]] = -1

    def _search(
        self,
        t: traffic.Traffic,
        at: NDArray[np.int32],
        row: NDArray[np.int32],
        order: NDArray[np.int32],
    ) -> None:
        stays = np.ones(len(at), np.bool_)
        stays[order] = False
        wanted = np.where(stays, -1, row).astype(np.int32)
        rest = np.flatnonzero(stays).astype(np.int32)
        found = ConfigSearch(
            self._neighbours, self._degree, t.table, wanted, self._scratch, self._random
        )
        steps = found.run(at, np.concatenate([order, rest]), self._expansions)
        steps = steps[: self.steps + 1]
        t.plan[order, : len(steps)] = steps[:, order].T


def _lanes(floor: Floor) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where a robot may go on from each cell; places are entered only as goals."""
    out = floor.out[:, :4].copy()
    into_place = (out >= 0) & (floor.kind[np.maximum(out, 0)] == STORAGE)
    out[into_place] = -1
    last = np.argsort(out < 0, axis=1, kind="stable")
    neighbours = np.ascontiguousarray(np.take_along_axis(out, last, axis=1), np.int32)
    return neighbours, (out >= 0).sum(axis=1).astype(np.int32)
