"""Is a plan for all robots true: an independent check.

It shares nothing with the planners, neither tables nor kernels: walls and cells are
read from the drawn floor, and every rule is checked by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]


def find_faults(
    blocked: NDArray[Any],
    paths: Sequence[Sequence[Cell]],
    starts: Sequence[Cell],
    goals: Sequence[Cell],
    *,
    rings: bool = True,
    most: int = 20,
) -> list[str]:
    """What is wrong, in words; nothing if the plan is true.

    ``paths[robot][step]`` are (column, row); all are equally long. A robot may enter a
    cell in the step in which another one leaves it. Without ``rings`` that must not
    go around in a circle.
    """
    if not len(paths) == len(starts) == len(goals):
        return [f"{len(paths)} paths, {len(starts)} starts, {len(goals)} goals"]
    if len({len(path) for path in paths}) > 1:
        return ["the paths differ in length"]
    if not paths:
        return []
    if not paths[0]:
        return ["the paths are empty"]
    faults: list[str] = []
    for robot, path in enumerate(paths):
        faults += _own_faults(blocked, robot, path, starts[robot], goals[robot])
        if len(faults) >= most:
            return faults[:most]
    before: dict[Cell, int] = {}
    for step in range(len(paths[0])):
        now: dict[Cell, int] = {}
        for robot, path in enumerate(paths):
            cell = path[step]
            if cell in now:
                faults.append(
                    f"step {step}: robots {now[cell]} and {robot} are both in {cell}"
                )
            now[cell] = robot
        if step:
            faults += _swaps(paths, before, step)
            if not rings:
                faults += _rings(paths, before, step)
        if len(faults) >= most:
            break
        before = now
    return faults[:most]


def _own_faults(
    blocked: NDArray[Any], robot: int, path: Sequence[Cell], start: Cell, goal: Cell
) -> list[str]:
    faults = []
    if path[0] != start:
        faults.append(f"robot {robot} starts in {path[0]}, not in {start}")
    if path[-1] != goal:
        faults.append(f"robot {robot} ends in {path[-1]}, not in {goal}")
    height, width = np.shape(blocked)
    for step, (x, y) in enumerate(path):
        if not (0 <= x < width and 0 <= y < height) or blocked[y][x]:
            faults.append(f"step {step}: robot {robot} is in a wall at {(x, y)}")
        if step and abs(x - path[step - 1][0]) + abs(y - path[step - 1][1]) > 1:
            faults.append(f"step {step}: robot {robot} jumps to {(x, y)}")
    return faults


def _swaps(
    paths: Sequence[Sequence[Cell]], before: dict[Cell, int], step: int
) -> list[str]:
    faults = []
    for robot, path in enumerate(paths):
        came_from, is_in = path[step - 1], path[step]
        other = before.get(is_in)
        if other is None or other <= robot or came_from == is_in:
            continue
        if paths[other][step] == came_from:
            faults.append(
                f"step {step}: robots {robot} and {other} swap {came_from} and {is_in}"
            )
    return faults


def _rings(
    paths: Sequence[Sequence[Cell]], before: dict[Cell, int], step: int
) -> list[str]:
    faults, checked = [], set()
    for first in range(len(paths)):
        chain: list[int] = []
        robot: int | None = first
        while robot is not None and robot not in checked:
            checked.add(robot)
            chain.append(robot)
            if paths[robot][step] == paths[robot][step - 1]:
                break
            robot = before.get(paths[robot][step])
        else:
            if robot in chain:
                ring = chain[chain.index(robot) :]
                faults.append(f"step {step}: robots {ring} turn in a ring")
    return faults


def costs_of(paths: Sequence[Sequence[Cell]], goals: Sequence[Cell]) -> list[int]:
    """For each robot the step in which it is at its goal for good."""
    costs = []
    for path, goal in zip(paths, goals, strict=True):
        cost = len(path) - 1
        while cost > 0 and path[cost - 1] == goal:
            cost -= 1
        costs.append(cost if path else 0)
    return costs
