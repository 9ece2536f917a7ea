"""Planners on small floors: narrow, dead-ended, full, and some without any plan."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fleet.grid.checker import Cell, costs_of, find_faults
from fleet.grid.distances import DistanceTables
from fleet.grid.errors import CellTaken, CellUnknown, GridRefused, PlannerUnknown
from fleet.grid.floor import Floor
from fleet.grid.pibt import Pibt
from fleet.grid.problem import PLANNERS, Problem, Solution, solve
from tests.support.joint_search import least_steps

HALL = ("......", ".@.@@.", "......", ".@@.@.", "......")
BAY = (".....", "@@.@@")
LONG_BAY = (".......", "@@.@@@@", "@@.@@@@")
RING = ("...", ".@.", "...")
RING_CELLS = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)]


def paths_of(floor: Floor, solution: Solution) -> list[list[Cell]]:
    assert solution.plan is not None
    return [[floor.cell_of(n) for n in path] for path in solution.plan.T.tolist()]


def walls(lines: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([[sign != "." for sign in line] for line in lines])


def solved(
    lines: Sequence[str],
    starts: list[Cell],
    goals: list[Cell],
    planner: str = "lacam",
    *,
    rings: bool = True,
    swap: bool = True,
    seed: int = 0,
) -> list[list[Cell]] | None:
    """The paths, checked; None if the planner says that there are none."""
    floor = Floor.drawn(*lines)
    problem = Problem.of(floor, starts, goals)
    solution = solve(problem, planner, rings=rings, swap=swap, seed=seed)
    if solution.plan is None:
        assert solution.why_not
        return None
    assert solution.why_not is None
    paths = paths_of(floor, solution)
    assert find_faults(walls(lines), paths, starts, goals, rings=rings) == []
    assert solution.lower_bound is not None
    assert sum(costs_of(paths, goals)) >= solution.lower_bound
    return paths


@pytest.mark.covers("R15", "RC1", "K63")
@pytest.mark.parametrize("planner", PLANNERS)
def test_every_planner_brings_robots_past_each_other(planner: str) -> None:
    starts: list[Cell] = [(0, 0), (5, 4), (5, 0), (0, 4)]
    assert solved(HALL, starts, starts[::-1], planner)


@pytest.mark.parametrize("planner", ["pibt", "lacam"])
@pytest.mark.parametrize("lines", [BAY, LONG_BAY])
def test_two_robots_change_places_in_a_corridor_with_a_bay(
    planner: str, lines: tuple[str, ...]
) -> None:
    ends: list[Cell] = [(0, 0), (len(lines[0]) - 1, 0)]
    assert solved(lines, ends, ends[::-1], planner)


def test_pibt_without_the_swap_never_leaves_that_corridor() -> None:
    ends: list[Cell] = [(0, 0), (4, 0)]
    assert solved(BAY, ends, ends[::-1], "pibt", swap=False) is None


def test_a_robot_at_the_end_of_a_dead_end_lets_another_one_in() -> None:
    assert solved(LONG_BAY, [(2, 2), (0, 0)], [(6, 0), (2, 2)])


def test_a_full_ring_turns_only_where_robots_may_turn_at_once() -> None:
    turned = RING_CELLS[1:] + RING_CELLS[:1]
    paths = solved(RING, RING_CELLS, turned)
    assert paths is not None
    assert max(costs_of(paths, turned)) == 1
    assert solved(RING, RING_CELLS, turned, rings=False) is None


def test_a_ring_with_one_free_cell_turns_also_for_real_robots() -> None:
    starts = RING_CELLS[:7]
    assert solved(RING, starts, RING_CELLS[1:], rings=False)


def test_what_cannot_be_solved_is_told_for_certain() -> None:
    floor = Floor.drawn(".....")
    ends: list[Cell] = [(0, 0), (4, 0)]
    solution = solve(Problem.of(floor, ends, ends[::-1]))
    assert (solution.plan, solution.why_not) == (None, "no plan exists")
    assert solution.lower_bound == 8


def test_a_goal_that_no_way_leads_to_is_named() -> None:
    solution = solve(Problem.of(Floor.drawn("..@.."), [(1, 0)], [(4, 0)]))
    assert solution.why_not == "robot 0 has no way from (1, 0) to (4, 0)"
    assert (solution.plan, solution.lower_bound) == (None, None)


def test_a_search_ends_when_it_may_not_go_on() -> None:
    problem = Problem.of(Floor.drawn("..."), [(0, 0)], [(2, 0)])
    for planner in PLANNERS:
        solution = solve(problem, planner, may_go_on=lambda: False)
        assert solution.plan is None
        assert solution.why_not


@pytest.mark.parametrize("rings", [True, False])
def test_lacam_finds_a_plan_exactly_where_there_is_one(rings: bool) -> None:
    drawn = random.Random(16)
    solvable = []
    for seed in range(60):
        lines = ["".join(drawn.choice("...@") for _ in range(4)) for _ in range(3)]
        free = [(x, y) for y in range(3) for x in range(4) if lines[y][x] == "."]
        robots = drawn.randint(1, min(3, len(free)))
        starts, goals = drawn.sample(free, robots), drawn.sample(free, robots)
        least = least_steps(lines, starts, goals, rings=rings)
        paths = solved(lines, starts, goals, rings=rings, seed=seed)
        assert (paths is None) == (least is None), (seed, lines, starts, goals)
        if paths is not None and least is not None:
            assert max(costs_of(paths, goals)) >= least
        solvable.append(least is not None)
    assert 10 < sum(solvable) < 58


def test_one_robot_drives_the_shortest_way_with_every_planner() -> None:
    for planner in PLANNERS:
        paths = solved(HALL, [(0, 0)], [(3, 3)], planner)
        assert paths is not None
        assert costs_of(paths, [(3, 3)]) == [6]


def test_the_same_seed_gives_the_same_plan() -> None:
    cells = [(x, y) for y in (0, 2, 4) for x in range(6)]
    runs = [solved(HALL, cells, cells[::-1], seed=4) for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0] is not None


def test_lifelong_robots_never_meet_and_go_on_reaching_goals() -> None:
    floor = Floor.drawn(*HALL)
    drawn = np.random.default_rng(3)
    starts, goals = (
        drawn.permutation(floor.count)[:10].astype(np.int32) for _ in range(2)
    )
    pibt = Pibt(DistanceTables(floor), starts, goals, rings=False)
    before, reached = starts, 0
    for _ in range(300):
        at = pibt.step()
        paths = [
            [floor.cell_of(a), floor.cell_of(b)]
            for a, b in zip(before, at, strict=True)
        ]
        ends = [path[1] for path in paths]
        begins = [path[0] for path in paths]
        assert find_faults(walls(HALL), paths, begins, ends, rings=False) == []
        reached += pibt.replace_goals(
            lambda who: drawn.integers(floor.count, size=len(who)).astype(np.int32)
        )
        before = at
    assert reached > 100


@pytest.mark.parametrize(
    ("starts", "goals", "cause", "named"),
    [
        ([(0, 0), (0, 0)], [(0, 0), (2, 0)], CellTaken, "robots 0 and 1 .* start"),
        ([(0, 0), (2, 0)], [(2, 0), (2, 0)], CellTaken, "robots 0 and 1 .* goal"),
        ([(1, 1)], [(0, 0)], CellUnknown, r"start of robot 0: cell \(1, 1\) is a wall"),
        ([(0, 0)], [(9, 0)], CellUnknown, r"goal of robot 0: .* outside the floor"),
        ([(0, 0)], [], GridRefused, "1 starts and 0 goals"),
    ],
)
def test_a_problem_that_means_nothing_is_refused(
    starts: list[Cell], goals: list[Cell], cause: type[Exception], named: str
) -> None:
    with pytest.raises(cause, match=named):
        Problem.of(Floor.drawn(*RING), starts, goals)


def test_an_unknown_planner_is_refused_with_those_that_exist() -> None:
    problem = Problem.of(Floor.drawn(".."), [(0, 0)], [(1, 0)])
    with pytest.raises(PlannerUnknown, match="'cbs', only pibt, lacam, whca"):
        solve(problem, "cbs")
