"""One step of all robots at once: priority inheritance with backtracking (PIBT).

Okumura et al. 2022 (Artificial Intelligence 310) and, for the swap in narrow
passages, Okumura 2023 (IJCAI). A robot takes the free cell nearest to its goal; a
robot in the way moves first, with the priority of the one that wants its cell. Robots
whose step is given in ``to`` keep it. The recursion is a stack here: calls with this
many arrays would cost more than the work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleet.grid.swap_kernels import find_partner
from kernel_store.compiled import kernel

NOBODY = -1
FRAME_SIZE = 22
"""Robot, choice, number of choices, partner, five choices, five sort keys, and of the
robots beside it their four rows and distances."""
ENTER, FAILED, DONE = 0, 1, 2


@kernel
def draw(random: NDArray[np.uint64]) -> np.uint64:
    """The next of a row of random numbers (xorshift)."""
    x: np.uint64 = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return x


@kernel
def sort_choices(
    robot: np.int32,
    here: np.int32,
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    closed: NDArray[np.uint8],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    random: NDArray[np.uint64],
    on: NDArray[np.int32],
    frame: NDArray[np.int32],
) -> int:
    """Write the cells a robot may go to into its frame, best first; how many.

    Also how many robots are beside it, where its choice will be.

    The nearest to the goal is best. Among equals, three times of four the one that
    fewer robots beside it want to drive to (Okumura and Nagai 2025); always doing so
    makes robots dance around each other. Then by chance.
    """
    wish = row[robot]
    bits = draw(random)
    considerate = bits >> np.uint64(62) != 0
    count = degree[here]
    size = 0
    frame[1] = 0
    for i in range(count):
        beside = neighbours[here, i]
        other = on[beside]
        frame[1] += other >= 0
        frame[14 + i] = row[other] if considerate and other >= 0 else NOBODY
        if frame[14 + i] >= 0:
            frame[18 + i] = table[frame[14 + i], beside]
    considerate = considerate and frame[1] > 0
    for i in range(count + 1):
        cell = neighbours[here, i] if i < count else here
        if closed[cell] != 0 and i < count:
            continue
        key = np.int64(bits >> np.uint64(12 * i)) & 0x1FF
        if wish >= 0:
            key += np.int64(table[wish, cell]) << 12
        elif i < count:
            key += 1 << 12
        if considerate:
            for j in range(count):
                their = frame[14 + j]
                if their >= 0 and j != i and table[their, cell] < frame[18 + j]:
                    key += 1 << 9
        place = size
        while place > 0 and frame[8 + place] > key:
            frame[9 + place] = frame[8 + place]
            frame[4 + place] = frame[3 + place]
            place -= 1
        frame[9 + place] = key
        frame[4 + place] = cell
        size += 1
    return size


@kernel
def closes_ring(
    first: np.int32, last: np.int32, to: NDArray[np.int32], on: NDArray[np.int32]
) -> bool:
    """Does the chain of robots that follow each other from one lead to the other."""
    who = first
    while who >= 0 and to[who] >= 0:
        if who == last:
            return True
        who = on[to[who]]
    return bool(who == last)


@kernel
def pibt_step(
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    closed: NDArray[np.uint8],
    fork: NDArray[np.uint8],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    at: NDArray[np.int32],
    order: NDArray[np.int32],
    swap: bool,
    rings: bool,
    random: NDArray[np.uint64],
    on: NDArray[np.int32],
    taken: NDArray[np.int32],
    frames: NDArray[np.int32],
    to: NDArray[np.int32],
) -> bool:
    """Fill ``to``; False: not every robot could be served.

    ``on`` says who stands in a cell now, ``taken`` who will (both by cell, NOBODY if
    none), ``to`` where each robot goes (NOBODY: to be decided). ``fork`` marks cells
    at which nobody has to change places. ``frames`` is room for the stack: a row a
    robot. Without ``rings`` no circle of robots turns at once, which real ones cannot
    do: each would wait until the next has left.
    """
    for leader in order:
        if to[leader] >= 0:
            continue
        depth = 0
        frames[0, 0] = leader
        state = ENTER
        while depth >= 0:
            frame = frames[depth]
            robot = frame[0]
            here = at[robot]
            if state == ENTER:
                frame[3] = NOBODY
                size = sort_choices(
                    robot,
                    here,
                    neighbours,
                    degree,
                    closed,
                    table,
                    row,
                    random,
                    on,
                    frame,
                )
                if (
                    swap
                    and row[robot] >= 0
                    and frame[4] != here
                    and fork[frame[4]] == 0
                    and frame[1] > 0
                ):
                    frame[3] = find_partner(
                        robot,
                        here,
                        frame[4],
                        neighbours,
                        degree,
                        closed,
                        table,
                        row,
                        on,
                        to,
                    )
                if frame[3] >= 0:
                    for i in range(size // 2):
                        kept = frame[4 + i]
                        frame[4 + i] = frame[3 + size - i]
                        frame[3 + size - i] = kept
                frame[1] = 0
                frame[2] = size
            elif state == FAILED:
                frame[1] += 1
            if state != DONE:
                state = FAILED
                while frame[1] < frame[2]:
                    cell = frame[4 + frame[1]]
                    other = on[cell]
                    if (
                        taken[cell] >= 0
                        or (other >= 0 and to[other] == here and other != robot)
                        or (
                            not rings
                            and other >= 0
                            and other != robot
                            and to[other] >= 0
                            and closes_ring(other, robot, to, on)
                        )
                    ):
                        frame[1] += 1
                        continue
                    taken[cell] = robot
                    to[robot] = cell
                    if other >= 0 and other != robot and to[other] < 0:
                        depth += 1
                        frames[depth, 0] = other
                        state = ENTER
                    else:
                        state = DONE
                    break
                if state == ENTER:
                    continue
            if state == DONE:
                partner = frame[3]
                if (
                    partner >= 0
                    and frame[1] == 0
                    and to[partner] < 0
                    and taken[here] < 0
                    and closed[here] == 0
                    and (rings or not closes_ring(robot, partner, to, on))
                ):
                    to[partner] = here
                    taken[here] = partner
            else:
                taken[here] = robot
                to[robot] = here
            depth -= 1
        if state == FAILED:
            return False
    return True
