"""A plan made better: a few robots are planned anew past all others, again and again.

Large neighbourhood search (Li et al. 2021, IJCAI). Which robots: one that loses time
and those that stand in its way, all that pass one cell about the same time, or any.
What is not better is undone. Cells are spots here, as in ``sweep_kernels``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleet.grid.pibt_kernels import draw
from fleet.grid.sweep_kernels import flip, sweep
from kernel_store.compiled import kernel

MOST_TOGETHER = 10
WALKS = 20
TRIES = 8
"""Robots of which the one that loses most is taken."""
NOBODY = -1


@kernel
def below(random: NDArray[np.uint64], limit: int) -> int:
    """By chance, from 0 on."""
    return int(np.int64(draw(random) >> np.uint64(11))) % limit


@kernel
def add_to_group(robot: int, group: NDArray[np.int32], size: int) -> int:
    if robot < 0 or size >= group.shape[0]:
        return size
    for i in range(size):
        if group[i] == robot:
            return size
    group[size] = robot
    return size + 1


@kernel
def who_loses(
    costs: NDArray[np.int32], shortest: NDArray[np.int32], random: NDArray[np.uint64]
) -> int:
    best = below(random, costs.shape[0])
    for _ in range(TRIES):
        other = below(random, costs.shape[0])
        if costs[other] - shortest[other] > costs[best] - shortest[best]:
            best = other
    return best


@kernel
def group_in_the_way(
    robot: int,
    wish: NDArray[np.uint16],
    number: NDArray[np.int32],
    stride: int,
    cost: int,
    path: NDArray[np.int32],
    who: NDArray[np.int32],
    random: NDArray[np.uint64],
    group: NDArray[np.int32],
) -> int:
    """Whom it meets on walks that would be quicker than its path."""
    size = add_to_group(robot, group, 0)
    last = path.shape[0] - 1
    ways = np.array([1, -1, stride, -stride, 0])
    for _ in range(WALKS):
        step = below(random, max(1, cost))
        here = path[step]
        while step < last and size < group.shape[0]:
            first = below(random, 5)
            to = -1
            for i in range(5):
                beside = here + ways[(first + i) % 5]
                if number[beside] >= 0 and step + 1 + int(wish[number[beside]]) < cost:
                    to = beside
                    break
            if to < 0:
                break
            size = add_to_group(who[step + 1, number[to]], group, size)
            meets = who[step, number[to]]
            if meets >= 0 and who[step + 1, number[here]] == meets:
                size = add_to_group(meets, group, size)
            step += 1
            here = to
        if size == group.shape[0]:
            break
    return size


@kernel
def group_at_a_cell(
    cell: int, step: int, who: NDArray[np.int32], group: NDArray[np.int32]
) -> int:
    """Who passes a cell soonest before and after a step."""
    size, last = 0, who.shape[0] - 1
    for away in range(last + 1):
        if step + away <= last:
            size = add_to_group(who[step + away, cell], group, size)
        if step - away >= 0:
            size = add_to_group(who[step - away, cell], group, size)
        if size == group.shape[0]:
            break
    return size


@kernel
def note(
    robot: int,
    path: NDArray[np.int32],
    number: NDArray[np.int32],
    who: NDArray[np.int32],
) -> None:
    for step in range(path.shape[0]):
        who[step, number[path[step]]] = robot


@kernel
def turn_a_ring(
    group: NDArray[np.int32],
    paths: NDArray[np.int32],
    number: NDArray[np.int32],
    who: NDArray[np.int32],
) -> bool:
    """Is one of the group ever in a circle of robots that all drive on at once."""
    for robot in group:
        for step in range(paths.shape[1] - 1):
            here = paths[robot, step]
            other, to = robot, paths[robot, step + 1]
            while to != paths[other, step]:
                if to == here:
                    return True
                other = who[step, number[to]]
                if other < 0:
                    break
                to = paths[other, step + 1]
    return False


@kernel
def plan_anew(
    group: NDArray[np.int32],
    goals: NDArray[np.int32],
    number: NDArray[np.int32],
    stride: int,
    rings: bool,
    random: NDArray[np.uint64],
    shortest: NDArray[np.int32],
    paths: NDArray[np.int32],
    costs: NDArray[np.int32],
    who: NDArray[np.int32],
    taken: NDArray[np.uint64],
    reached: NDArray[np.uint64],
    old: NDArray[np.int32],
) -> int:
    """How much the group gains by being planned one after the other.

    ``old`` has room for its paths.
    """
    last = paths.shape[1] - 1
    before, least = 0, 0
    for i in range(group.shape[0]):
        before += costs[group[i]]
        least += shortest[group[i]]
    if before == least:
        return 0
    for i in range(group.shape[0]):
        old[i] = paths[group[i]]
        flip(old[i], stride, taken)
    new = np.empty(group.shape[0], np.int32)
    spent, done = 0, 0
    for i in range(group.shape[0]):
        robot = group[i]
        least -= shortest[robot]
        new[i] = sweep(
            old[i, 0],
            goals[robot],
            stride,
            min(before - spent - least, last),
            taken,
            reached,
            random,
            paths[robot],
        )
        if new[i] < 0:
            break
        spent += new[i]
        flip(paths[robot], stride, taken)
        done += 1
    if done == group.shape[0]:
        for i in range(done):
            note(NOBODY, old[i], number, who)
        for i in range(done):
            note(group[i], paths[group[i]], number, who)
        if rings or not turn_a_ring(group, paths, number, who):
            for i in range(done):
                costs[group[i]] = new[i]
            return before - spent
        for i in range(done):
            note(NOBODY, paths[group[i]], number, who)
    for i in range(done):
        flip(paths[group[i]], stride, taken)
    for i in range(group.shape[0]):
        paths[group[i]] = old[i]
        flip(old[i], stride, taken)
    if done == group.shape[0]:
        for i in range(done):
            note(group[i], old[i], number, who)
    return 0


@kernel
def improve(
    rounds: int,
    table: NDArray[np.uint16],
    row: NDArray[np.int32],
    goals: NDArray[np.int32],
    number: NDArray[np.int32],
    stride: int,
    rings: bool,
    random: NDArray[np.uint64],
    shortest: NDArray[np.int32],
    paths: NDArray[np.int32],
    costs: NDArray[np.int32],
    who: NDArray[np.int32],
    taken: NDArray[np.uint64],
    reached: NDArray[np.uint64],
    weights: NDArray[np.float64],
) -> int:
    """Some rounds, each with one group; how much they gain.

    ``number`` has the cell of each spot, ``who`` the robot of each step and cell.
    ``weights`` remember how much each way of choosing a group has gained.
    """
    robots, steps = paths.shape
    room = np.empty(min(robots, MOST_TOGETHER), np.int32)
    old = np.empty((room.shape[0], steps), np.int32)
    total = 0
    for _ in range(rounds):
        group = room[: 1 + below(random, room.shape[0])]
        at = weights.sum() * (below(random, 1 << 20) / (1 << 20))
        way = 0
        while way < weights.shape[0] - 1 and at >= weights[way]:
            at -= weights[way]
            way += 1
        robot = who_loses(costs, shortest, random)
        if way == 0:
            size = group_in_the_way(
                robot,
                table[row[robot]],
                number,
                stride,
                costs[robot],
                paths[robot],
                who,
                random,
                group,
            )
        elif way == 1:
            step = below(random, costs[robot] + 1)
            size = group_at_a_cell(number[paths[robot, step]], step, who, group)
        else:
            size = 0
            while size < group.shape[0]:
                size = add_to_group(below(random, robots), group, size)
        group = group[:size]
        for i in range(size - 1, 0, -1):
            j = below(random, i + 1)
            group[i], group[j] = group[j], group[i]
        gained = plan_anew(
            group,
            goals,
            number,
            stride,
            rings,
            random,
            shortest,
            paths,
            costs,
            who,
            taken,
            reached,
            old,
        )
        total += gained
        weights[way] = max(0.99 * weights[way] + 0.01 * gained / size, 0.001)
    return total
