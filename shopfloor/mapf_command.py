"""``shopfloor mapf``: a plan for many robots on a benchmark map, as JSON.

For comparing planners with published figures. Every plan is checked by the checker
before its figures are printed. With a time limit, ``lacam`` uses all of it to make its
first plan better. The planners are imported when they are called.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fleet.grid import Problem

UNUSABLE = 2
UNSOLVED = 1
DEFAULT_LIMIT_S = 30.0


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "mapf",
        help="a plan for many robots on a MovingAI map, as JSON",
        description="Ends with 0 if every robot has a path, 1 if no plan was found, "
        "2 if the map, the scenario or an option cannot be used.",
    )
    parser.add_argument("map", type=Path, help="a MovingAI .map")
    parser.add_argument("--scen", type=Path, required=True, help="starts and goals")
    parser.add_argument("--agents", type=int, required=True, help="so many of its rows")
    parser.add_argument("--planner", default="lacam", help="pibt, lacam or whca")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--time-limit-s",
        type=float,
        help=f"give up after so many seconds (else {DEFAULT_LIMIT_S:g}); lacam goes on "
        "until then to make its plan better",
    )
    parser.add_argument(
        "--no-rings",
        action="store_true",
        help="no circle of robots turns at once, as real robots cannot",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    from fleet.grid.errors import GridRefused
    from shopfloor.grid import MapRefused, ScenarioRefused

    try:
        answer = _answer(options)
    except (MapRefused, ScenarioRefused, GridRefused) as error:
        print(f"shopfloor: {error}", file=sys.stderr)
        return UNUSABLE
    print(json.dumps(answer))
    return 0 if answer["solved"] and answer["valid"] else UNSOLVED


def _answer(options: argparse.Namespace) -> dict[str, Any]:
    from fleet.grid import Floor, Problem, improved, solve
    from fleet.grid.errors import GridRefused
    from fleet.grid.problem import warm
    from shopfloor.grid import MapUnreadable, ScenarioRefused, read_map, read_scenario

    if options.map.suffix.lower() != ".map":
        raise MapUnreadable(f"{options.map} is no MovingAI .map")
    if options.agents < 1:
        raise GridRefused(f"--agents is 1 or more, not {options.agents}")
    if options.seed < 0:
        raise GridRefused(f"--seed is 0 or more, not {options.seed}")
    limit_s = options.time_limit_s
    if limit_s is not None and not limit_s > 0.0:
        raise GridRefused(f"--time-limit-s is more than 0 seconds, not {limit_s}")
    grid = read_map(options.map)
    rows = read_scenario(options.scen, grid)
    if len(rows) < options.agents:
        raise ScenarioRefused(
            f"{options.scen} has {len(rows)} rows, too few for {options.agents} agents"
        )
    rows = rows[: options.agents]
    starts, goals = [row.start for row in rows], [row.goal for row in rows]
    rings = not options.no_rings
    try:
        problem = Problem.of(Floor.of(grid.cells), starts, goals)
    except GridRefused as refused:
        if refused.robot is None:
            raise
        line = rows[refused.robot].line
        raise ScenarioRefused(f"{options.scen}:{line}: {refused}") from None
    warm(options.planner)
    began = time.perf_counter()
    ends_at = began + (DEFAULT_LIMIT_S if limit_s is None else limit_s)
    more: dict[str, Any] = {
        "seed": options.seed,
        "rings": rings,
        "may_go_on": lambda: time.perf_counter() < ends_at,
    }
    solution = solve(problem, options.planner, **more)
    answer: dict[str, Any] = {
        "solved": solution.plan is not None,
        "planner": options.planner,
        "agents": options.agents,
        "sum_of_costs": None,
        "makespan": None,
        "lower_bound": solution.lower_bound,
        "time_ms": _since_ms(began),
        "valid": None,
        "why_not": solution.why_not,
    }
    if solution.plan is None:
        return answer
    if options.planner != "lacam" or limit_s is None:
        return answer | _checked(grid.cells, problem, solution.plan, rings)
    first = {"time_ms": answer["time_ms"]}
    better = improved(problem, solution, **more)
    answer["time_ms"] = _since_ms(began)
    first |= _checked(grid.cells, problem, solution.plan, rings)
    final = _checked(grid.cells, problem, better.plan, rings)
    final["valid"] = final["valid"] and first["valid"]
    return answer | final | {"first": first}


def _since_ms(began: float) -> float:
    return round(1000.0 * (time.perf_counter() - began), 3)


def _checked(cells: Any, problem: Problem, plan: Any, rings: bool) -> dict[str, Any]:
    """Figures of a plan, by the checker and from the paths alone."""
    from fleet.grid.checker import costs_of, find_faults

    floor = problem.floor
    x, y = floor.columns[plan.T], floor.rows[plan.T]
    paths = [
        list(zip(*path, strict=True))
        for path in zip(x.tolist(), y.tolist(), strict=True)
    ]
    starts, goals = (
        [floor.cell_of(number) for number in some]
        for some in (problem.starts, problem.goals)
    )
    faults = find_faults(cells, paths, starts, goals, rings=rings)
    costs = costs_of(paths, goals)
    return {
        "sum_of_costs": sum(costs),
        "makespan": max(costs),
        "valid": not faults,
        "faults": faults,
    }
