"""One robot's shortest path in space and time past paths that are given.

``reserved[step, cell]`` says who is in a cell. Distances to the goal are exact, so a
bucket for each cost is all the queue that A* needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distance_kernels import FAR
from fleet.grid.pibt_kernels import NOBODY, draw
from kernel_store.compiled import kernel


@kernel
def find_path(
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    wish: NDArray[np.uint16],
    start: int,
    reserved: NDArray[np.int32],
    most_cost: int,
    earliest: int,
    window: bool,
    follow: bool,
    random: NDArray[np.uint64],
    seen: NDArray[np.int32],
    stamp: int,
    states: NDArray[np.int32],
    heads: NDArray[np.int32],
    path: NDArray[np.int32],
) -> int:
    """Write the path from step 0 and return its last step; -1: there is none.

    With ``window`` it is as long as ``path``, and steps at the goal cost nothing. Else
    it ends at the goal, in step ``earliest`` or later. ``states`` is room for state,
    the one before and the next in its bucket; ``heads`` for a bucket each cost up to
    ``most_cost``. Without ``follow`` a cell is entered only if it was empty.
    """
    cells = degree.shape[0]
    last = path.shape[0] - 1
    lowest = int(wish[start])
    if lowest == FAR or lowest > most_cost:
        return -1
    for cost in range(lowest, most_cost + 1):
        heads[cost] = NOBODY
    states[0, 0] = start
    states[0, 1] = NOBODY
    states[0, 2] = NOBODY
    heads[lowest] = 0
    seen[start] = stamp
    size, cost = 1, lowest
    while cost <= most_cost:
        entry = heads[cost]
        if entry < 0:
            cost += 1
            continue
        heads[cost] = states[entry, 2]
        step, here = states[entry, 0] // cells, states[entry, 0] % cells
        if (window and step == last) or (
            not window and wish[here] == 0 and step >= earliest
        ):
            end = int(step)
            while entry >= 0:
                path[states[entry, 0] // cells] = states[entry, 0] % cells
                entry = states[entry, 1]
            return end
        if step == last:
            continue
        count = degree[here] + 1
        first = np.int64(draw(random) % np.uint64(count))
        for i in range(count):
            k = (first + i) % count
            cell = here if k == count - 1 else neighbours[here, k]
            state = (step + 1) * cells + cell
            if seen[state] == stamp or reserved[step + 1, cell] >= 0:
                continue
            if wish[cell] == FAR:
                continue
            before = reserved[step, cell]
            if (
                cell != here
                and before >= 0
                and (not follow or reserved[step + 1, here] == before)
            ):
                continue
            added = 1 + int(wish[cell]) - int(wish[here])
            if window and cell == here and wish[here] == 0:
                added = 0
            if cost + added > most_cost:
                continue
            seen[state] = stamp
            states[size, 0] = state
            states[size, 1] = entry
            states[size, 2] = heads[cost + added]
            heads[cost + added] = size
            size += 1
    return -1


@kernel
def plan_window(
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    order: NDArray[np.int32],
    at: NDArray[np.int32],
    random: NDArray[np.uint64],
    reserved: NDArray[np.int32],
    seen: NDArray[np.int32],
    stamp: int,
    states: NDArray[np.int32],
    heads: NDArray[np.int32],
    paths: NDArray[np.int32],
) -> int:
    """Plan all robots in this order; NOBODY, or the first one that has no path.

    Where each stands now is reserved for the first step, so that nobody plans to swap
    with a robot whose turn comes later.
    """
    reserved[:] = NOBODY
    for robot in order:
        reserved[0, at[robot]] = robot
    for robot in order:
        wish = table[row[robot]]
        stamp += 1
        most = min(int(wish[at[robot]]) + 2 * paths.shape[1], heads.shape[0] - 1)
        end = find_path(
            neighbours,
            degree,
            wish,
            at[robot],
            reserved,
            most,
            0,
            True,
            True,
            random,
            seen,
            stamp,
            states,
            heads,
            paths[robot],
        )
        if end < 0:
            return int(robot)
        for step in range(paths.shape[1]):
            reserved[step, paths[robot, step]] = robot
    return NOBODY
