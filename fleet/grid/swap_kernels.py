"""When two robots in a narrow passage have to change places, and who steps back.

Okumura 2023 (IJCAI). A robot that would only push another one further down a passage
backs out to a fork instead and pulls the other one along.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel

DEAD_END, FORK = -1, -2


@kernel
def way_out(
    cell: np.int32,
    behind: np.int32,
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    closed: NDArray[np.uint8],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    on: NDArray[np.int32],
) -> np.int32:
    """Where a passage goes on: its one cell, DEAD_END or FORK.

    A dead end of one cell with a robot that has arrived there is no way out.
    """
    if degree[cell] == 2:
        beside: np.int32 = neighbours[cell, 0]
        if beside == behind:
            beside = neighbours[cell, 1]
        if degree[beside] > 1 and closed[beside] == 0:
            return beside
    found = np.int32(DEAD_END)
    for i in range(degree[cell]):
        beside = neighbours[cell, i]
        if beside == behind or closed[beside] != 0:
            continue
        if degree[beside] == 1:
            who = on[beside]
            if who >= 0 and row[who] >= 0 and table[row[who], beside] == 0:
                continue
        if found >= 0:
            return np.int32(FORK)
        found = beside
    return found


@kernel
def swap_needed(
    pusher: np.int32,
    puller: np.int32,
    pusher_at: np.int32,
    puller_at: np.int32,
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    closed: NDArray[np.uint8],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    on: NDArray[np.int32],
) -> bool:
    """Would one push the other down a passage, against the other's way."""
    if row[pusher] < 0 or row[puller] < 0:
        return False
    wish, other = table[row[pusher]], table[row[puller]]
    behind, ahead = pusher_at, puller_at
    while wish[ahead] < wish[behind]:
        on_to = way_out(ahead, behind, neighbours, degree, closed, table, row, on)
        if on_to == FORK:
            return False
        if on_to == DEAD_END:
            break
        behind, ahead = ahead, on_to
    return bool(
        other[behind] < other[ahead]
        and (wish[behind] == 0 or wish[ahead] < wish[behind])
    )


@kernel
def swap_possible(
    pusher_at: np.int32,
    puller_at: np.int32,
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    closed: NDArray[np.uint8],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    on: NDArray[np.int32],
) -> bool:
    """Is there a fork behind the robot that would pull back."""
    behind, ahead = pusher_at, puller_at
    while ahead != pusher_at:
        on_to = way_out(ahead, behind, neighbours, degree, closed, table, row, on)
        if on_to == FORK:
            return True
        if on_to == DEAD_END:
            return False
        behind, ahead = ahead, on_to
    return False


@kernel
def find_partner(
    robot: np.int32,
    here: np.int32,
    best: np.int32,
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    closed: NDArray[np.uint8],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    on: NDArray[np.int32],
    to: NDArray[np.int32],
) -> np.int32:
    """With whom a robot has to change places before it drives on; -1: nobody.

    Either with the one in the cell it wants, or it makes room at a fork for two
    others behind it that have to.
    """
    found = np.int32(-1)
    ahead = on[best]
    if (
        ahead >= 0
        and to[ahead] < 0
        and swap_needed(
            robot, ahead, here, best, neighbours, degree, closed, table, row, on
        )
    ):
        found = ahead
    if found < 0:
        for i in range(degree[here]):
            beside = neighbours[here, i]
            other = on[beside]
            if other < 0 or beside == best:
                continue
            if swap_needed(
                other, robot, here, best, neighbours, degree, closed, table, row, on
            ):
                found = other
                break
    if found >= 0 and swap_possible(
        best, here, neighbours, degree, closed, table, row, on
    ):
        return found
    return np.int32(-1)
