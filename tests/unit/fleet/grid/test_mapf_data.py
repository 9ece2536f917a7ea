"""The public benchmark where its files are present, else a drawn warehouse."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from fleet.grid.checker import costs_of, find_faults
from fleet.grid.drawn import draw_warehouse
from fleet.grid.floor import Floor
from fleet.grid.problem import Problem, solve
from shopfloor.grid import read_map, read_scenario

DATA = Path(__file__).resolve().parents[5] / "shared" / "data" / "mapf"
MAPS = {
    "empty-8-8": 32,
    "empty-32-32": 200,
    "random-32-32-20": 200,
    "room-32-32-4": 100,
}
WAREHOUSE = "warehouse-10-20-10-2-1"


def ratio(name: str, scenario: int, agents: int, planner: str = "lacam") -> float:
    """Of a checked plan: sum of costs over the sum of shortest ways."""
    grid = read_map(DATA / f"{name}.map")
    rows = read_scenario(DATA / f"{name}-random-{scenario}.scen", grid)[:agents]
    starts, goals = [row.start for row in rows], [row.goal for row in rows]
    floor = Floor.of(grid.cells)
    solution = solve(Problem.of(floor, starts, goals), planner)
    assert solution.plan is not None, solution.why_not
    assert solution.lower_bound is not None
    paths = [[floor.cell_of(n) for n in path] for path in solution.plan.T.tolist()]
    assert find_faults(grid.cells, paths, starts, goals) == []
    return sum(costs_of(paths, goals)) / solution.lower_bound


def needs_data() -> None:
    if not DATA.is_dir():
        pytest.skip(f"needs the benchmark files in {DATA.name} beside the checkout")


@pytest.mark.covers("RC1")
@pytest.mark.parametrize(("name", "agents"), MAPS.items())
def test_lacam_solves_benchmark_maps(name: str, agents: int) -> None:
    needs_data()
    assert 1.0 <= ratio(name, 1, agents) < 4.0


def test_plans_cost_no_more_than_the_reference() -> None:
    needs_data()
    with (DATA / "reference.csv").open() as file:
        lines = [line for line in csv.DictReader(file) if line["mode"] == "first"]
    theirs = [
        float(line["ratio"])
        for line in lines
        if (line["map"], line["agents"]) == (WAREHOUSE, "500")
        and line["solver"] == "lacam3-cpp"
    ]
    assert len(theirs) == 3
    assert ratio(WAREHOUSE, 1, 500) <= max(theirs)


def test_a_drawn_warehouse_is_solved_too() -> None:
    blocked = draw_warehouse(4, 6, margin=4)
    floor = Floor.of(blocked)
    random = np.random.default_rng(5)
    starts, goals = (
        [floor.cell_of(n) for n in random.permutation(floor.count)[:120]]
        for _ in range(2)
    )
    for rings in (True, False):
        solution = solve(Problem.of(floor, starts, goals), rings=rings)
        assert solution.plan is not None
        paths = [[floor.cell_of(n) for n in path] for path in solution.plan.T.tolist()]
        assert find_faults(blocked, paths, starts, goals, rings=rings) == []


@pytest.mark.soak
@pytest.mark.parametrize("scenario", [1, 2, 3])
@pytest.mark.parametrize("name", [*MAPS, WAREHOUSE])
def test_every_scenario_is_solved_with_few_robots_and_with_many(
    name: str, scenario: int
) -> None:
    needs_data()
    grid = read_map(DATA / f"{name}.map")
    most = len(read_scenario(DATA / f"{name}-random-{scenario}.scen", grid))
    for agents in (most // 10, most // 2, most):
        assert ratio(name, scenario, agents) >= 1.0
