"""A plan is made better and stays true; one robot's quickest path is really that."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fleet.grid.checker import Cell, costs_of, find_faults
from fleet.grid.distances import DistanceTables
from fleet.grid.errors import GridRefused
from fleet.grid.floor import Floor
from fleet.grid.pibt import seeded
from fleet.grid.problem import Problem, improved, solve
from fleet.grid.refine import Refinement
from fleet.grid.sweep_kernels import flip, sweep

STRIDE = 128
"""Of floors up to 126 cells wide: lines of two words, with a border between them."""


def drawn_floor(seed: int, width: int, height: int) -> Floor:
    free = np.random.default_rng(seed).random((height, width)) >= 0.2
    free[0] = True  # so that there is a way along
    return Floor.of(~free)


def problem_on(floor: Floor, robots: int, seed: int) -> Problem:
    """Starts and goals by chance in the largest part of the floor."""
    tables = DistanceTables(floor)
    first = floor.number_of((0, 0))
    within = [n for n in range(floor.count) if tables.steps(n, first) is not None]
    draw = random.Random(seed)
    starts, goals = (draw.sample(within, robots) for _ in range(2))
    cells = ([floor.cell_of(n) for n in some] for some in (starts, goals))
    return Problem.of(floor, *cells)


def shots(count: int) -> list[bool]:
    """Go on so often, then stop."""
    return [True] * count + [False]


@pytest.mark.parametrize("rings", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_better_plan_is_true_and_costs_less(seed: int, *, rings: bool) -> None:
    floor = drawn_floor(seed, 70 if seed % 2 else 12, 9)
    problem = problem_on(floor, 25, seed)
    first = solve(problem, seed=seed, rings=rings)
    turns = iter(shots(30))
    better = improved(problem, first, rings=rings, may_go_on=lambda: next(turns))
    assert first.plan is not None
    assert better.plan is not None
    blocked = np.asarray(floor.number < 0)
    starts = [floor.cell_of(n) for n in problem.starts]
    goals = [floor.cell_of(n) for n in problem.goals]
    costs = []
    for plan in (first.plan, better.plan):
        paths = [[floor.cell_of(n) for n in path] for path in plan.T.tolist()]
        assert find_faults(blocked, paths, starts, goals, rings=rings) == []
        costs.append(sum(costs_of(paths, goals)))
    assert first.lower_bound is not None
    assert first.lower_bound <= costs[1] < costs[0]


def test_the_best_possible_plan_is_told_as_such_and_robots_may_be_few() -> None:
    floor = Floor.drawn(".....")
    goals = np.array([4], np.int32)
    slow = np.array([[0], [0], [1], [1], [2], [3], [4], [4]], np.int32)
    better = Refinement(DistanceTables(floor), goals, slow)
    assert (better.cost, better.best_possible) == (6, False)
    better.go_on(5)
    assert (better.cost, better.best_possible) == (4, True)
    assert better.plan().T.tolist() == [[0, 1, 2, 3, 4]]
    nobody = Problem.of(floor, [], [])
    assert improved(nobody, solve(nobody), may_go_on=lambda: True).plan is not None


def test_a_plan_too_large_for_the_tables_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fleet.grid.refine.MOST_BYTES", 100)
    floor = Floor.drawn("...")
    plan = np.array([[0], [1]], np.int32)
    with pytest.raises(GridRefused, match=r"2 steps better takes [\d,]+ bytes"):
        Refinement(DistanceTables(floor), np.array([1], np.int32), plan)


def spot(cell: Cell) -> int:
    return (cell[1] + 1) * STRIDE + cell[0] + 1


def earliest_arrival(
    floor: Floor, start: Cell, goal: Cell, others: list[list[Cell]]
) -> int | None:
    """Plainly, cell by cell and step by step; the goal is kept for ever."""
    steps = len(others[0])
    free = {floor.cell_of(n) for n in range(floor.count)}
    after = [s for s in range(steps) if any(path[s] == goal for path in others)]
    soonest = max(after, default=-1) + 1
    here = {start}
    for step in range(steps):
        if step >= soonest and goal in here:
            return step
        if step + 1 == steps:
            return None
        then = set()
        for x, y in here:
            for to in ((x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                taken = any(path[step + 1] == to for path in others)
                swaps = any(
                    path[step] == to and path[step + 1] == (x, y) for path in others
                )
                if to in free and not taken and not swaps:
                    then.add(to)
        here = then
    return None


@pytest.mark.parametrize("seed", range(12))
def test_a_sweep_finds_the_earliest_arrival(seed: int) -> None:
    width = 9 if seed % 2 else 68  # the second crosses words
    floor = drawn_floor(seed, width, 5)
    problem = problem_on(floor, 8, seed)
    plan = solve(problem, seed=seed).plan
    assert plan is not None
    plan = np.concatenate([plan, np.repeat(plan[-1:], 12, axis=0)])
    paths = [[floor.cell_of(n) for n in path] for path in plan.T.tolist()]
    steps, words = len(plan), (floor.height + 2) * STRIDE // 64
    taken = np.zeros((steps, 5, words), np.uint64)
    wall = np.ones(words * 64, np.bool_)
    wall[[spot(floor.cell_of(n)) for n in range(floor.count)]] = False
    taken[:, 0] = np.packbits(wall, bitorder="little").view("<u8")
    for path in paths[1:]:
        flip(np.array([spot(c) for c in path], np.int32), STRIDE, taken)
    before = taken.copy()
    start, goal = paths[0][0], paths[0][-1]
    found = np.empty(steps, np.int32)
    dirty = np.full((steps, words), 2**64 - 1, np.uint64)
    ends = (spot(start), spot(goal), STRIDE)
    end = sweep(*ends, steps - 1, taken, dirty, seeded(seed), found)
    assert end == earliest_arrival(floor, start, goal, paths[1:])
    drawn = [(int(s) % STRIDE - 1, int(s) // STRIDE - 1) for s in found]
    assert (
        find_faults(
            np.asarray(floor.number < 0),
            [drawn, *paths[1:]],
            [path[0] for path in paths],
            [path[-1] for path in paths],
        )
        == []
    )
    assert sweep(*ends, end - 1, taken, dirty, seeded(seed), found) == -1
    flip(found, STRIDE, taken)
    flip(found, STRIDE, taken)
    assert (taken == before).all()
