"""One robot's quickest path past the paths of all others, in whole words of bits.

Where a robot can be after a step is a set of cells, one bit each. All cells that can be
reached one step later follow from it by a few shifts and masks, 64 cells at a time,
however crowded the floor is; an A* search visits them one by one. Each line of the
floor begins with a word of its own, so a step up or down is another word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleet.grid.pibt_kernels import draw
from kernel_store.compiled import kernel

BUSY, RIGHT, LEFT, DOWN, UP = 0, 1, 2, 3, 4
"""What ``taken`` has for each step: cells in which others are, and cells that nobody
may enter to the right, left, down or up, since another one comes the other way."""
ONE = np.uint64(1)


@kernel
def bit_of(spot: int) -> np.uint64:
    return np.uint64(1) << np.uint64(spot & 63)


@kernel
def has(words: NDArray[np.uint64], spot: int) -> bool:
    return bool(words[spot >> 6] & bit_of(spot) != 0)


@kernel
def flip(path: NDArray[np.int32], stride: int, taken: NDArray[np.uint64]) -> None:
    """Take the room of a path, or give it back; spots as in ``sweep``."""
    last = path.shape[0] - 1
    for step in range(last + 1):
        here = path[step]
        taken[step, BUSY, here >> 6] ^= bit_of(here)
        if step < last:
            moved = path[step + 1] - here
            if moved == 1:
                taken[step, LEFT, here >> 6] ^= bit_of(here)
            elif moved == -1:
                taken[step, RIGHT, here >> 6] ^= bit_of(here)
            elif moved == stride:
                taken[step, UP, here >> 6] ^= bit_of(here)
            elif moved == -stride:
                taken[step, DOWN, here >> 6] ^= bit_of(here)


@kernel
def is_reached(
    spot: int, step: int, start: int, line: int, reached: NDArray[np.uint64]
) -> bool:
    """Words farther away than a robot can be by then are not written."""
    away = (spot >> 6) - (start >> 6)
    return bool(abs(away) <= step * line and has(reached[step], spot))


@kernel
def sweep(
    start: int,
    goal: int,
    stride: int,
    most: int,
    taken: NDArray[np.uint64],
    reached: NDArray[np.uint64],
    random: NDArray[np.uint64],
    path: NDArray[np.int32],
) -> int:
    """Write the path and return its cost, the step of the last arrival; -1: too dear.

    Spots are numbers of bits, ``stride`` of them a line, a whole number of words.
    ``reached`` has room for one set a step. The robot stays at its goal for ever.
    """
    steps, _, words = taken.shape
    line = stride >> 6
    earliest = steps
    while earliest > 0 and not has(taken[earliest - 1, BUSY], goal):
        earliest -= 1
    if earliest > most:
        return -1
    low = high = start >> 6
    reached[0, low] = bit_of(start)
    end = 0
    while not (end >= earliest and is_reached(goal, end, start, line, reached)):
        if end == most:
            return -1
        now, then, masks = reached[end], reached[end + 1], taken[end]
        busy = taken[end + 1, BUSY]
        new_low, new_high = max(line, low - line), min(words - line - 1, high + line)
        # Around the words that count, the set before is to be empty.
        for word in range(max(0, new_low - line), low):
            now[word] = 0
        for word in range(high + 1, min(words, new_high + line + 1)):
            now[word] = 0
        for word in range(new_low, new_high + 1):
            here = now[word]
            right = (here << ONE) | (now[word - 1] >> np.uint64(63))
            left = (here >> ONE) | (now[word + 1] << np.uint64(63))
            then[word] = (
                here
                | (right & ~masks[RIGHT, word])
                | (left & ~masks[LEFT, word])
                | (now[word - line] & ~masks[DOWN, word])
                | (now[word + line] & ~masks[UP, word])
            ) & ~busy[word]
        low, high = new_low, new_high
        end += 1
    trace_back(start, goal, end, stride, taken, reached, random, path)
    for step in range(end, path.shape[0]):
        path[step] = goal
    return end


@kernel
def trace_back(
    start: int,
    goal: int,
    end: int,
    stride: int,
    taken: NDArray[np.uint64],
    reached: NDArray[np.uint64],
    random: NDArray[np.uint64],
    path: NDArray[np.int32],
) -> None:
    """One of the quickest paths: waiting early or late, by chance."""
    waits_first = draw(random) >> np.uint64(63) == 0
    line = stride >> 6
    here = goal
    path[end] = goal
    for step in range(end - 1, -1, -1):
        if waits_first and is_reached(here, step, start, line, reached):
            path[step] = here
            continue
        first = np.int64(draw(random) >> np.uint64(62))
        found = -1
        for i in range(4):
            way = (first + i) % 4
            if way == 0:
                before, mask = here - 1, RIGHT
            elif way == 1:
                before, mask = here + 1, LEFT
            elif way == 2:
                before, mask = here - stride, DOWN
            else:
                before, mask = here + stride, UP
            shut = has(taken[step, mask], here)
            if not shut and is_reached(before, step, start, line, reached):
                found = before
                break
        if found >= 0:
            here = found
        path[step] = here
