"""Steps from every free cell to a goal, by breadth-first search.

The search runs on the drawn floor with a wall around it, where neighbours need no
table and all of it stays in the nearest cache; then it is copied by number of cell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel

FAR = 65_535
"""No way leads from here to the goal."""


@kernel
def fill_distances(
    stride: int,
    places: NDArray[np.int32],
    closed: NDArray[np.uint8],
    goals: NDArray[np.int32],
    rows: NDArray[np.int32],
    table: NDArray[np.uint16],
) -> None:
    """Fill ``table[row]`` with the steps to each goal.

    ``places`` says where a cell is on the drawn floor with its wall, whose lines are
    ``stride`` long. Nobody may enter a closed cell, but who stands in one may leave
    it: it has a distance, and no way leads through it.
    """
    count = places.shape[0]
    size = places[count - 1] + stride + 2
    empty = np.zeros(size, np.uint16)
    shut = np.zeros(size, np.uint8)
    for cell in range(count):
        empty[places[cell]] = FAR
        shut[places[cell]] = closed[cell]
    steps = np.empty(size, np.uint16)
    waiting = np.empty(count, np.int32)
    for k in range(goals.shape[0]):
        steps[:] = empty
        goal = places[goals[k]]
        steps[goal] = 0
        waiting[0] = goal
        first, last = 0, 1 - shut[goal]
        while first < last:
            place = waiting[first]
            first += 1
            further = steps[place] + np.uint16(1)
            for way in (1, -1, stride, -stride):
                beside = place + way
                if steps[beside] == FAR:
                    steps[beside] = further
                    waiting[last] = beside
                    last += 1 - shut[beside]
        row = table[rows[k]]
        for cell in range(count):
            row[cell] = steps[places[cell]]
