"""D* Lite replans exactly, whatever changes while the robot drives."""

import math
from typing import Any

import numpy as np
import pytest

from shopfloor.grid import Grid
from shopfloor.planning import DStarLite, Status, find_faults
from shopfloor.planning.d_star_kernels import DIAGONAL, STRAIGHT
from tests.support import brute_planning as brute


def centre(cell: tuple[int, int]) -> tuple[float, float]:
    return cell[0] + 0.5, cell[1] + 0.5


def whole_cost(path: Any) -> int:
    """Of a path from centre to centre, in the planner's own unit."""
    steps = np.abs(np.diff(path.xy, axis=0))
    diagonal = round(float(steps.min(axis=1).sum()))
    straight = round(float((steps.max(axis=1) - steps.min(axis=1)).sum()))
    return straight * STRAIGHT + diagonal * DIAGONAL


@pytest.mark.parametrize("seed", range(14))
def test_every_replan_is_as_short_as_a_fresh_search(seed: int) -> None:
    random = np.random.default_rng(seed)
    cells = brute.random_cells(seed, 18, 16, 0.1 + 0.02 * seed)
    ((start, goal),) = brute.free_pairs(cells, seed, 1)
    planner = DStarLite(Grid.of(cells), centre(goal))
    here = start
    for _ in range(12):
        path = planner.plan(centre(here))
        shortest = brute.shortest_walk(cells, here, goal, STRAIGHT, DIAGONAL)
        assert path.ok == (shortest < math.inf)
        if path.ok:
            now = Grid.of(cells)
            assert find_faults(now, path, centre(here), centre(goal)) == []
            assert whole_cost(path) == shortest
            if here != goal:
                here = _one_step(path)
        else:
            assert path.status is Status.UNREACHABLE
        blocked: list[tuple[int, int]] = []
        free: list[tuple[int, int]] = []
        for x, y in random.integers(0, (18, 16), size=(6, 2)).tolist():
            if (x, y) in (here, goal):
                continue
            (free if cells[y, x] else blocked).append((x, y))
            cells[y, x] = not cells[y, x]
        planner.mark(blocked, free)


def _one_step(path: Any) -> tuple[int, int]:
    a, b = path.xy[0], path.xy[1]
    return int(a[0] + np.sign(b[0] - a[0])), int(a[1] + np.sign(b[1] - a[1]))


def test_the_costs_are_the_root_of_two_closely_enough() -> None:
    assert abs(DIAGONAL / STRAIGHT - math.sqrt(2.0)) < 1e-8


def test_a_cell_marked_as_it_was_is_no_change() -> None:
    planner = DStarLite(Grid.of(np.zeros((4, 4), np.bool_)), (3.5, 3.5))
    assert planner.mark([(1, 1)]) == 1
    assert planner.mark([(1, 1)]) == 0
    assert planner.mark([], [(1, 1)]) == 1


def test_a_cell_outside_the_map_cannot_be_marked() -> None:
    planner = DStarLite(Grid.of(np.zeros((4, 4), np.bool_)), (3.5, 3.5))
    with pytest.raises(ValueError, match=r"no cell \(4, 0\)"):
        planner.mark([(4, 0)])


def test_a_goal_that_gets_blocked_and_freed_again_is_named() -> None:
    planner = DStarLite(Grid.of(np.zeros((4, 4), np.bool_)), (3.5, 3.5))
    assert planner.plan((0.5, 0.5)).ok
    planner.mark([(3, 3)])
    assert planner.plan((0.5, 0.5)).status is Status.GOAL_BLOCKED
    planner.mark([(0, 0)], [(3, 3)])
    assert planner.plan((0.5, 0.5)).status is Status.START_BLOCKED
    planner.mark([], [(0, 0)])
    assert planner.plan((0.5, 0.5)).ok
