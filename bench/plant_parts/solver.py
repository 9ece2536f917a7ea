"""The same orders planned by CP-SAT of OR-tools, to say how far the heuristic is.

OR-tools is no part of the product; where it is not installed, nothing is measured.
All robots of the comparison are alike, so that they are a capacity and no assignment.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from mpms.factory.domain.schedule.orders import Job, Resources
from mpms.factory.domain.schedule.plan import LATE_WEIGHT


def by_solver(
    jobs: Sequence[Job],
    resources: Resources,
    *,
    limit_s: float,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Cost as the heuristic counts it, its proven bound, and when each was found."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        say("ortools is not installed; the heuristic is not compared")
        return {}
    model = cp_model.CpModel()
    times, robot = resources.times, resources.robots[0]
    horizon = 40 * 3600

    def drive_s(one: str, other: str) -> int:
        if one == other:
            return 0
        metres = resources.distance_m(one, other)
        return math.ceil(metres / robot.speed_mps + times.turn_s)

    people, robots, demands = [], [], []
    tanks: dict[str, list[Any]] = {}
    ends, lates = [], []
    load_s, unload_s = math.ceil(times.load_s), math.ceil(times.unload_s)
    start_s = math.ceil(times.start_mixing_s)

    def person(name: str, length_s: int) -> Any:
        begin = model.new_int_var(0, horizon, name)
        people.append(model.new_fixed_size_interval_var(begin, length_s, name))
        return begin

    for job in jobs:
        leaves = model.new_int_var(0, horizon, f"{job.order} leaves")
        at, here, first = leaves, robot.home, None
        for leg in job.legs:
            loading = person(f"{job.order} load {leg.pick}", load_s)
            model.add(loading >= at + drive_s(here, leg.place))
            unloading = person(f"{job.order} unload {leg.pick}", unload_s)
            model.add(unloading >= loading + load_s + drive_s(leg.place, job.tank))
            first = unloading if first is None else first
            at, here = unloading + unload_s, job.tank
        starting = person(f"{job.order} start", start_s)
        model.add(starting >= at)
        free = model.new_int_var(0, horizon, f"{job.order} free")
        model.add(free >= at + drive_s(here, robot.home))
        model.add(free >= starting + start_s)
        length = model.new_int_var(0, horizon, f"{job.order} robot")
        robots.append(model.new_interval_var(leaves, length, free, job.order))
        demands.append(1)
        end = model.new_int_var(0, horizon, f"{job.order} end")
        model.add(end == starting + start_s + math.ceil(job.mixing_s))
        filled = model.new_int_var(0, horizon, f"{job.order} filled")
        begins = leaves if first is None else first
        tanks.setdefault(job.tank, []).append(
            model.new_interval_var(begins, filled, end, f"{job.order} tank")
        )
        ends.append(end)
        if job.due_s is not None:
            late = model.new_int_var(0, horizon, f"{job.order} late")
            model.add(late >= end - math.floor(job.due_s))
            lates.append(late)
    model.add_cumulative(robots, demands, len(resources.robots))
    model.add_cumulative(people, [1] * len(people), resources.people)
    for intervals in tanks.values():
        model.add_no_overlap(intervals)
    makespan = model.new_int_var(0, horizon, "makespan")
    model.add_max_equality(makespan, ends)
    weight = len(ends)
    model.minimize(
        weight * makespan + sum(ends) + int(weight * LATE_WEIGHT) * sum(lates)
    )
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = limit_s
    solver.parameters.num_workers = 2
    begun = time.perf_counter()
    status = solver.solve(model)
    took_s = time.perf_counter() - begun
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        say(f"solver: nothing found in {took_s:.0f} s")
        return {"solver_cost_h": None, "solver_limit_s": limit_s}
    say(f"solver: {took_s:.0f} s, ends {solver.value(makespan) / 3600:.2f} h")
    return {
        "solver_limit_s": limit_s,
        "solver_cost_h": solver.objective_value / weight / 3600,
        "solver_cost_bound_h": solver.best_objective_bound / weight / 3600,
        "solver_makespan_h": solver.value(makespan) / 3600,
        "solver_late_h": sum(map(solver.value, lates)) / 3600,
    }
