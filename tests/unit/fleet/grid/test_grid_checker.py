"""The checker of plans sees every kind of fault, and none in a true plan."""

from __future__ import annotations

import numpy as np
import pytest

from fleet.grid.checker import Cell, costs_of, find_faults

FLOOR = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]])
A, B, C, D = (0, 0), (1, 0), (2, 0), (2, 1)


def faults_of(*paths: list[Cell], rings: bool = True) -> list[str]:
    starts, goals = [path[0] for path in paths], [path[-1] for path in paths]
    return find_faults(FLOOR, paths, starts, goals, rings=rings)


def test_robots_may_follow_each_other() -> None:
    assert faults_of([A, B, C], [B, C, D], rings=False) == []


@pytest.mark.parametrize(
    ("paths", "fault"),
    [
        (([A, B], [C, B]), "step 1: robots 0 and 1 are both in (1, 0)"),
        (([A, B], [B, A]), "step 1: robots 0 and 1 swap (0, 0) and (1, 0)"),
        (([A, C],), "step 1: robot 0 jumps to (2, 0)"),
        (([B, (1, 1)],), "step 1: robot 0 is in a wall at (1, 1)"),
        (([A, (-1, 0)],), "step 1: robot 0 is in a wall at (-1, 0)"),
        (([A, B], [C]), "the paths differ in length"),
    ],
)
def test_a_fault_is_named(paths: tuple[list[Cell], ...], fault: str) -> None:
    assert faults_of(*paths) == [fault]


def test_wrong_starts_goals_and_counts_are_faults() -> None:
    assert find_faults(FLOOR, [[A, B]], [C], [D]) == [
        "robot 0 starts in (0, 0), not in (2, 0)",
        "robot 0 ends in (1, 0), not in (2, 1)",
    ]
    assert find_faults(FLOOR, [[A]], [A], []) == ["1 paths, 1 starts, 0 goals"]
    assert find_faults(FLOOR, [[]], [A], [A]) == ["the paths are empty"]


def test_a_ring_that_turns_at_once_is_a_fault_only_where_it_is_forbidden() -> None:
    open_floor = np.zeros((2, 2))
    cells = [(0, 0), (1, 0), (1, 1), (0, 1)]
    after = cells[1:] + cells[:1]
    paths = [list(pair) for pair in zip(cells, after, strict=True)]
    assert find_faults(open_floor, paths, cells, after) == []
    assert find_faults(open_floor, paths, cells, after, rings=False) == [
        "step 1: robots [0, 1, 2, 3] turn in a ring"
    ]


def test_a_robot_costs_until_it_is_at_its_goal_for_good() -> None:
    paths = [[A, B, A, A], [C, C, C, C], [D, C, B, B]]
    assert costs_of(paths, [A, C, B]) == [2, 0, 2]
