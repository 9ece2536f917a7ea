"""WHCA*: everybody plans some steps ahead, one after the other (Silver 2005).

The baseline of the warehouse literature. Incomplete: a robot whose turn comes late may
be left without a path, and then the whole answer is that none was found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distances import DistanceTables
from fleet.grid.pibt import first_order, seeded
from fleet.grid.space_time_kernels import plan_window

WINDOW = 16
DRIVEN = 8
"""Steps of a window that are driven before the next one is planned."""
TRIES = 100
"""A robot without a path plans first in the next try."""


def solve_whca(
    tables: DistanceTables,
    starts: NDArray[np.int32],
    goals: NDArray[np.int32],
    seed: int,
    may_go_on: Callable[[], bool],
) -> tuple[NDArray[np.int32] | None, str]:
    """A plan, or None and why not."""
    floor = tables.floor
    cells, robots = floor.count, len(starts)
    row, random = tables.rows_of(goals), seeded(seed)
    order = first_order(tables, row, starts)
    reserved = np.empty((WINDOW + 1, cells), np.int32)
    seen = np.full((WINDOW + 1) * cells, -1, np.int32)
    states = np.empty(((WINDOW + 1) * cells, 3), np.int32)
    heads = np.empty(cells + 2 * WINDOW + 4, np.int32)
    paths = np.empty((robots, WINDOW + 1), np.int32)
    steps, at, stamp = [starts], starts, 0
    most = 20 * (floor.width + floor.height) + 4 * robots
    while not (at == goals).all():
        if len(steps) > most:
            return None, "the robots do not arrive"
        for _ in range(TRIES):
            if not may_go_on():
                return None, "no plan found in time"
            stuck = plan_window(
                floor.neighbours,
                floor.degree,
                tables.table,
                row,
                order,
                at,
                random,
                reserved,
                seen,
                stamp,
                states,
                heads,
                paths,
            )
            stamp += robots
            if stuck < 0:
                break
            order = np.concatenate([[stuck], order[order != stuck]]).astype(np.int32)
        else:
            return None, f"robot {stuck} finds no path past the others"
        steps += [np.ascontiguousarray(paths[:, k]) for k in range(1, DRIVEN + 1)]
        at = steps[-1]
        arrived = (at == goals)[order]
        order = np.concatenate([order[~arrived], order[arrived]])
    plan = np.stack(steps)
    early = np.argmax((plan == goals).all(axis=1))
    return plan[: early + 1], ""
