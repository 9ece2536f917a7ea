"""A complete search over configurations: LaCAM (Okumura 2023, AAAI).

A node is a configuration: the cell of every robot. Its successors are drawn by PIBT,
one at a time and each under a longer list of constraints ("this robot goes there"),
so that in the end every successor has been tried. Depth first; a configuration that is
known is put on top again. The search stops after a number of expansions or when an
array is full, and goes on from the same arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleet.grid.pibt_kernels import NOBODY, draw, pibt_step
from kernel_store.compiled import kernel

GOING_ON, SOLVED, UNSOLVABLE, FULL = 0, 1, 2, 3
# What ``counts`` holds.
NODES, OPEN, CONSTRAINTS, GOAL_NODE = 0, 1, 2, 3


@kernel
def hash_of(cells: NDArray[np.int32]) -> np.uint64:
    total = np.uint64(0)
    for i in range(cells.shape[0]):
        x = np.uint64(cells[i]) + (np.uint64(i) << np.uint64(24))
        x = (x ^ (x >> np.uint64(15))) * np.uint64(0x9E3779B97F4A7C15)
        total += x ^ (x >> np.uint64(29))
    return total


@kernel
def find_place(
    cells: NDArray[np.int32],
    configurations: NDArray[np.int32],
    places: NDArray[np.int32],
) -> np.int64:
    """Where a configuration is in the hash table, or the free place for it."""
    mask = np.uint64(places.shape[0] - 1)
    place = hash_of(cells) & mask
    while places[place] >= 0:
        known = configurations[places[place]]
        same = True
        for i in range(cells.shape[0]):
            if known[i] != cells[i]:
                same = False
                break
        if same:
            break
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@kernel
def rehash(
    count: int, configurations: NDArray[np.int32], places: NDArray[np.int32]
) -> None:
    places[:] = NOBODY
    for node in range(count):
        places[find_place(configurations[node], configurations, places)] = node


@kernel
def arrived(
    cells: NDArray[np.int32], table: NDArray[np.uint16], row: NDArray[np.int32]
) -> bool:
    for i in range(cells.shape[0]):
        if row[i] >= 0 and table[row[i], cells[i]] != 0:
            return False
    return True


@kernel
def ring_among(
    at: NDArray[np.int32],
    to: NDArray[np.int32],
    on: NDArray[np.int32],
    seen: NDArray[np.int32],
) -> bool:
    """Do three or more robots turn in a circle at once."""
    seen[:] = NOBODY
    for first in range(at.shape[0]):
        who = first
        while who >= 0 and seen[who] < 0 and to[who] != at[who]:
            seen[who] = first
            who = on[to[who]]
        if who >= 0 and to[who] != at[who] and seen[who] == first:
            return True
    return False


@kernel
def later_order(
    order: NDArray[np.int32],
    cells: NDArray[np.int32],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    new: NDArray[np.int32],
) -> None:
    """Who still drives goes before who has arrived, else as before."""
    size = 0
    for robot in order:
        if row[robot] >= 0 and table[row[robot], cells[robot]] != 0:
            new[size] = robot
            size += 1
    for robot in order:
        if row[robot] < 0 or table[row[robot], cells[robot]] == 0:
            new[size] = robot
            size += 1


@kernel
def search(
    most_expansions: int,
    neighbours: NDArray[np.int32],
    degree: NDArray[np.int32],
    closed: NDArray[np.uint8],
    fork: NDArray[np.uint8],
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    swap: bool,
    rings: bool,
    random: NDArray[np.uint64],
    on: NDArray[np.int32],
    taken: NDArray[np.int32],
    frames: NDArray[np.int32],
    counts: NDArray[np.int64],
    configurations: NDArray[np.int32],
    orders: NDArray[np.int32],
    parents: NDArray[np.int32],
    places: NDArray[np.int32],
    stack: NDArray[np.int32],
    heads: NDArray[np.int32],
    tails: NDArray[np.int32],
    constraints: NDArray[np.int32],
) -> int:
    """Go on searching; the answer is one of GOING_ON, SOLVED, UNSOLVABLE and FULL.

    ``constraints`` has a row each: the one it adds to, robot, cell, length of the
    list, next in its node's queue. ``on`` and ``taken`` are NOBODY everywhere, before
    and after.
    """
    robots = row.shape[0]
    to = np.empty(robots, np.int32)
    seen = np.empty(robots, np.int32)
    for _ in range(most_expansions):
        if counts[OPEN] == 0:
            return UNSOLVABLE
        if (
            counts[NODES] + 1 >= configurations.shape[0]
            or counts[OPEN] + 1 >= stack.shape[0]
            or counts[CONSTRAINTS] + 6 >= constraints.shape[0]
        ):
            return FULL
        node = stack[counts[OPEN] - 1]
        at = configurations[node]
        order = orders[node]
        if arrived(at, table, row):
            counts[GOAL_NODE] = node
            return SOLVED
        constraint = heads[node]
        if constraint < 0:
            counts[OPEN] -= 1
            continue
        heads[node] = constraints[constraint, 4]
        if heads[node] < 0:
            tails[node] = NOBODY
        depth = constraints[constraint, 3]
        if depth < robots:
            robot = order[depth]
            here = at[robot]
            size = degree[here] + 1
            first = np.int64(draw(random) % np.uint64(size))
            for i in range(size):
                k = (first + i) % size
                cell = here if k == size - 1 else neighbours[here, k]
                if closed[cell] != 0 and cell != here:
                    continue
                new = counts[CONSTRAINTS]
                counts[CONSTRAINTS] += 1
                constraints[new, 0] = constraint
                constraints[new, 1] = robot
                constraints[new, 2] = cell
                constraints[new, 3] = depth + 1
                constraints[new, 4] = NOBODY
                if tails[node] < 0:
                    heads[node] = new
                else:
                    constraints[tails[node], 4] = new
                tails[node] = new

        to[:] = NOBODY
        for i in range(robots):
            on[at[i]] = i
        possible = True
        while constraint >= 0 and constraints[constraint, 1] >= 0:
            robot, cell = constraints[constraint, 1], constraints[constraint, 2]
            other = on[cell]
            if taken[cell] >= 0 or (
                other >= 0 and other != robot and to[other] == at[robot]
            ):
                possible = False
                break
            taken[cell] = robot
            to[robot] = cell
            constraint = constraints[constraint, 0]
        if possible:
            possible = pibt_step(
                neighbours,
                degree,
                closed,
                fork,
                table,
                row,
                at,
                order,
                swap,
                rings,
                random,
                on,
                taken,
                frames,
                to,
            )
        if possible and not rings:
            possible = not ring_among(at, to, on, seen)
        for i in range(robots):
            on[at[i]] = NOBODY
            if to[i] >= 0:
                taken[to[i]] = NOBODY
            taken[at[i]] = NOBODY
        if not possible:
            continue

        place = find_place(to, configurations, places)
        known = places[place]
        if known >= 0:
            stack[counts[OPEN]] = known
            counts[OPEN] += 1
            continue
        new = counts[NODES]
        counts[NODES] += 1
        places[place] = new
        configurations[new] = to
        parents[new] = node
        later_order(order, to, table, row, orders[new])
        root = counts[CONSTRAINTS]
        counts[CONSTRAINTS] += 1
        constraints[root, 0] = NOBODY
        constraints[root, 1] = NOBODY
        constraints[root, 3] = 0
        constraints[root, 4] = NOBODY
        heads[new] = root
        tails[new] = root
        stack[counts[OPEN]] = new
        counts[OPEN] += 1
    return GOING_ON
