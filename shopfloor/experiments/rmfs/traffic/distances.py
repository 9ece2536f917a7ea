"""How many steps it is from cell to cell, for the tables that robots follow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.experiments.rmfs.traffic.arrays import FAR, STORAGE


@kernel
def fill_distances(
    into: NDArray[np.int32],
    kind: NDArray[np.int8],
    zone: NDArray[np.int32],
    behind: NDArray[np.int32],
    lift_of: NDArray[np.int32],
    lift_cells: int,
    goal: int,
    row: NDArray[np.uint16],
    queue: NDArray[np.int32],
    queued: NDArray[np.uint8],
) -> None:
    """Steps to the goal from every cell; nobody passes places or strange queues."""
    row[:] = FAR
    row[goal] = 0
    size = len(queue)
    queue[0] = goal
    first, last = 0, 1
    while first != last:
        cell = queue[first]
        first = (first + 1) % size
        queued[cell] = 0
        if cell != goal:
            if kind[cell] == STORAGE:
                continue
            if zone[cell] >= 0 and zone[cell] != zone[goal]:
                continue
        for n in range(into.shape[1]):
            start = into[cell, n]
            if start < 0:
                break
            if zone[start] >= 0 and zone[start] != zone[goal] and behind[start] > 0:
                continue
            lifted = lift_of[start] >= 0 and lift_of[start] == lift_of[cell]
            step = lift_cells if lifted else 1
            steps = row[cell] + step
            if steps < row[start]:
                row[start] = steps
                if queued[start] == 0:
                    queued[start] = 1
                    queue[last] = start
                    last = (last + 1) % size


@kernel
def fill_reach(
    out: NDArray[np.int32],
    lift: NDArray[np.int32],
    kind: NDArray[np.int8],
    zone: NDArray[np.int32],
    lift_cells: int,
    start: int,
    row: NDArray[np.uint16],
    queue: NDArray[np.int32],
    queued: NDArray[np.uint8],
) -> None:
    """Steps from a cell to every cell; nobody passes places or strange queues."""
    row[:] = FAR
    row[start] = 0
    size = len(queue)
    queue[0] = start
    first, last = 0, 1
    while first != last:
        cell = queue[first]
        first = (first + 1) % size
        queued[cell] = 0
        if cell != start and (kind[cell] == STORAGE or zone[cell] >= 0):
            continue
        for n in range(4 + lift.shape[1]):
            end = out[cell, n] if n < 4 else lift[cell, n - 4]
            if end < 0:
                continue
            if kind[cell] == STORAGE and kind[end] == STORAGE:
                continue
            steps = row[cell] + (1 if n < 4 else lift_cells)
            if steps < row[end]:
                row[end] = steps
                if queued[end] == 0:
                    queued[end] = 1
                    queue[last] = end
                    last = (last + 1) % size
