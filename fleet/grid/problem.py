"""One multi-robot path problem: everybody from a start to a goal, by some planner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distance_kernels import FAR
from fleet.grid.distances import DistanceTables
from fleet.grid.errors import CellTaken, CellUnknown, GridRefused, PlannerUnknown
from fleet.grid.floor import Cell, Floor
from fleet.grid.lacam import solve_lacam
from fleet.grid.pibt import Pibt
from fleet.grid.refine import refine
from fleet.grid.whca import solve_whca

PLANNERS = ("pibt", "lacam", "whca")
Plan = NDArray[np.int32]
"""Numbers of cells, ``[step, robot]``."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Build with :meth:`Problem.of`, which checks it."""

    floor: Floor
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]

    @staticmethod
    def of(floor: Floor, starts: Sequence[Cell], goals: Sequence[Cell]) -> Problem:
        if len(starts) != len(goals):
            raise GridRefused(f"{len(starts)} starts and {len(goals)} goals")
        return Problem(
            floor, _checked(floor, starts, "start"), _checked(floor, goals, "goal")
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """A plan, or why there is none."""

    plan: Plan | None
    why_not: str | None
    lower_bound: int | None
    """Sum of everybody's shortest way; None if somebody has none."""


def solve(
    problem: Problem,
    planner: str = "lacam",
    *,
    seed: int = 0,
    swap: bool = True,
    rings: bool = True,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Solution:
    """``may_go_on`` is asked again and again; False ends the search.

    Without ``rings`` a plan in which a circle of robots turns at once is no plan.
    """
    if planner not in PLANNERS:
        raise PlannerUnknown(
            f"there is no planner {planner!r}, only {', '.join(PLANNERS)}"
        )
    floor, starts, goals = problem.floor, problem.starts, problem.goals
    tables = DistanceTables(floor)
    rows = tables.rows_of(goals)
    steps = tables.table[rows, starts]
    lost = np.flatnonzero(steps == FAR)
    if len(lost):
        robot = int(lost[0])
        return Solution(
            None,
            f"robot {robot} has no way from {floor.cell_of(starts[robot])} "
            f"to {floor.cell_of(goals[robot])}",
            None,
        )
    bound = int(steps.sum(dtype=np.int64))
    if planner == "lacam":
        plan, certain = solve_lacam(
            tables,
            starts,
            goals,
            seed=seed,
            swap=swap,
            rings=rings,
            may_go_on=may_go_on,
        )
        why_not = (
            "no plan exists"
            if certain
            else "no plan found in the time and memory there is"
        )
    elif planner == "whca":
        if not rings:
            raise GridRefused("whca plans rings; lacam and pibt can do without")
        plan, why_not = solve_whca(tables, starts, goals, seed, may_go_on)
    else:
        plan = _by_pibt(tables, problem, seed, swap, rings, may_go_on)
        why_not = "the robots do not arrive; lacam finds a plan if there is one"
    return Solution(plan, why_not if plan is None else None, bound)


def improved(
    problem: Problem,
    solution: Solution,
    *,
    seed: int = 0,
    rings: bool = True,
    may_go_on: Callable[[], bool],
) -> Solution:
    """The same with a plan of lower cost, as far as one is found in time."""
    if solution.plan is None:
        return solution
    tables = DistanceTables(problem.floor)
    plan = refine(
        tables,
        problem.goals,
        solution.plan,
        seed=seed,
        rings=rings,
        may_go_on=may_go_on,
    )
    return replace(solution, plan=plan)


def _by_pibt(
    tables: DistanceTables,
    problem: Problem,
    seed: int,
    swap: bool,
    rings: bool,
    may_go_on: Callable[[], bool],
) -> Plan | None:
    """Steps until all have arrived, at most as many as the longest way could need."""
    pibt = Pibt(
        tables, problem.starts, problem.goals, seed=seed, swap=swap, rings=rings
    )
    steps = [pibt.at]
    most = 20 * (problem.floor.width + problem.floor.height) + 4 * len(pibt.at)
    while not pibt.arrived().all():
        if len(steps) > most or not may_go_on():
            return None
        steps.append(pibt.step())
    return np.stack(steps)


def _checked(floor: Floor, cells: Sequence[Cell], what: str) -> NDArray[np.int32]:
    robots: dict[int, int] = {}
    for robot, cell in enumerate(cells):
        try:
            number = floor.number_of(cell)
        except CellUnknown as error:
            raise CellUnknown(f"the {what} of robot {robot}: {error}", robot) from None
        if number in robots:
            raise CellTaken(
                f"robots {robots[number]} and {robot} have the same {what} {cell}",
                robot,
            )
        robots[number] = robot
    return np.array(list(robots), np.int32)


def warm(planner: str) -> None:
    """Compile or load what a planner needs, so that a measured run does not."""
    if planner in PLANNERS:
        corner = Problem.of(Floor.drawn("..", ".."), [(0, 0)], [(1, 1)])
        solution = solve(corner, planner)
        turns = iter((True, False))
        improved(corner, solution, may_go_on=lambda: next(turns))
