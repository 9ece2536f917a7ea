"""Grid traffic: 1,000 robots on the warehouse map, planned at once and step by step.

Times are those of the processor, so a busy machine disturbs them little, and a fixed
piece of work is measured in the same run: ratios to it can be compared between
machines. Every plan is checked by the independent checker.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fleet.grid.checker import costs_of, find_faults
from fleet.grid.distances import DistanceTables
from fleet.grid.drawn import draw_warehouse
from fleet.grid.floor import Cell, Floor
from fleet.grid.pibt import Pibt
from fleet.grid.problem import Problem, Solution, improved, solve
from shopfloor.grid import read_map, read_scenario

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "mapf"
MAP = "warehouse-10-20-10-2-1"
ROBOTS = 1000
ROUNDS = 5
REFINE_S = 10.0
"""How long a plan is made better, in time of the processor."""
STEPS = 1000
BLOCKS = 10
"""Steps are averaged in these, of which the quickest counts."""
SPINS = 20_000_000


@njit
def _spin(turns: int) -> int:
    x = 1
    for _ in range(turns):
        x = (x * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
        x ^= x >> 17
    return x


def load(
    say: Callable[[str], None],
) -> tuple[NDArray[Any], list[Cell], list[Cell]]:
    if (DATA / f"{MAP}.map").is_file():
        grid = read_map(DATA / f"{MAP}.map")
        rows = read_scenario(DATA / f"{MAP}-random-1.scen", grid)[:ROBOTS]
        return grid.cells, [row.start for row in rows], [row.goal for row in rows]
    say("no benchmark data: a drawn warehouse of the same shape, random goals")
    blocked = draw_warehouse()
    floor = Floor.of(blocked)
    random = np.random.default_rng(1)
    starts, goals = (random.permutation(floor.count)[:ROBOTS] for _ in range(2))
    return blocked, *([floor.cell_of(n) for n in some] for some in (starts, goals))


def figures(say: Callable[[str], None]) -> dict[str, Any]:
    blocked, starts, goals = load(say)
    problem = Problem.of(Floor.of(blocked), starts, goals)
    _spin(1)
    spin_ms = min(_timed_ms(lambda: _spin(SPINS))[0] for _ in range(3))
    say("one plan for all")
    found = _plans(problem, blocked, starts, goals)
    say("step by step, with new goals for ever")
    found |= _lifelong(problem)
    found["spin_ms"] = round(spin_ms, 2)
    found["lacam_spins_1000"] = round(found["lacam_ms_1000"] / spin_ms, 2)
    return found


def _plans(
    problem: Problem, blocked: NDArray[Any], starts: list[Cell], goals: list[Cell]
) -> dict[str, Any]:
    solve(problem, seed=ROUNDS)  # compiles
    times_ms, walls_ms, ratios = [], [], []
    for seed in range(ROUNDS):
        began = time.perf_counter()
        took_ms, solution = _timed_ms(lambda seed=seed: solve(problem, seed=seed))
        walls_ms.append(1000.0 * (time.perf_counter() - began))
        times_ms.append(took_ms)
        ratios.append(_ratio(problem, solution, blocked, starts, goals))
    ends_at = time.thread_time() + REFINE_S
    better = improved(problem, solution, may_go_on=lambda: time.thread_time() < ends_at)
    ratio = _ratio(problem, better, blocked, starts, goals)
    return {
        "lacam_ms_1000": round(statistics.median(times_ms), 1),
        "lacam_wall_ms_1000": round(statistics.median(walls_ms), 1),
        "lacam_over_lower_bound_1000": round(statistics.median(ratios), 3),
        "lacam_refined_over_lower_bound_1000": round(ratio, 3),
        "lacam_refined_for_s": REFINE_S,
    }


def _ratio(
    problem: Problem,
    solution: Solution,
    blocked: NDArray[Any],
    starts: list[Cell],
    goals: list[Cell],
) -> float:
    """Sum of costs over the lower bound, of a plan that the checker has found true."""
    assert solution.plan is not None
    assert solution.lower_bound is not None
    cells = [
        [problem.floor.cell_of(n) for n in path] for path in solution.plan.T.tolist()
    ]
    assert find_faults(blocked, cells, starts, goals) == []
    return sum(costs_of(cells, goals)) / solution.lower_bound


def _lifelong(problem: Problem) -> dict[str, Any]:
    """Tables of all goals are made before: a warehouse makes them once."""
    floor = problem.floor
    tables = DistanceTables(floor)
    tables.rows_of(np.arange(floor.count, dtype=np.int32))
    random = np.random.default_rng(0)
    pibt = Pibt(tables, problem.starts, problem.goals)
    pibt.step()
    reached, blocks_ms = 0, []
    for _ in range(BLOCKS):
        took_ms = 0.0
        for _ in range(STEPS // BLOCKS):
            took_ms += _timed_ms(pibt.step)[0]
            reached += pibt.replace_goals(
                lambda who: random.integers(floor.count, size=len(who)).astype(np.int32)
            )
        blocks_ms.append(took_ms / (STEPS // BLOCKS))
    return {
        "pibt_step_ms_1000": round(min(blocks_ms), 3),
        "pibt_step_median_ms_1000": round(statistics.median(blocks_ms), 3),
        "lifelong_goals_per_step_1000": round(reached / STEPS, 2),
    }


def _timed_ms(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.thread_time()
    result = work()
    return 1000.0 * (time.thread_time() - began), result
