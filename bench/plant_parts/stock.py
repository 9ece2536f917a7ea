"""Picking plans over a large warehouse, and orders planned together."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import date, timedelta
from statistics import median
from typing import Any

from bench.plant_parts.solver import by_solver
from mpms.factory.domain.schedule import (
    Job,
    Leg,
    Resources,
    Robot,
    lower_bound_s,
    make_schedule,
)
from mpms.factory.domain.schedule.plan import LATE_WEIGHT
from mpms.factory.domain.stock import Held, Lot, LotState
from mpms.factory.domain.stock.picking import Floor, Wanted, plan_picks, tour_m

PLACES, MATERIALS, LINES, ORDERS = 2000, 300, 30, 100
TODAY = date(2026, 11, 19)
RUNS = 15
SOLVER_S = 60.0


def measure(say: Callable[[str], None]) -> dict[str, Any]:
    chance = random.Random(23)
    at = {
        f"P{n}": (chance.uniform(0, 120), chance.uniform(0, 60)) for n in range(PLACES)
    }
    at |= {"home": (0, 0), **{f"tank_{n}": (125, 10 * n) for n in range(6)}}

    def distance_m(one: str, other: str) -> float:
        (ax, ay), (bx, by) = at[one], at[other]
        return abs(ax - bx) + abs(ay - by)

    stock = [
        (
            Lot(f"L{n}", code, LotState.RELEASED, expires, received_at=None),
            Held(f"L{n}", f"P{n}", chance.randint(5_000, 80_000)),
        )
        for n in range(PLACES)
        for code in [f"RM-{n % MATERIALS:03d}"]
        for expires in [TODAY + timedelta(days=chance.randint(-30, 400))]
    ]
    wanted = [
        Wanted(n, f"RM-{n * 7 % MATERIALS:03d}", chance.randint(20_000, 90_000))
        for n in range(LINES)
    ]
    hazards = [frozenset({"GHS02"}), frozenset({"GHS03"}), frozenset[str]()]
    apart = frozenset({frozenset({"GHS02", "GHS03"})})
    round_ = [
        Wanted(w.line, w.material, w.grams, 0, None, hazards[n % 3])
        for n, w in enumerate(wanted)
    ]
    codes = {w.material for w in wanted}
    figures: dict[str, Any] = {}
    for name, lines, every_load in (
        ("plan_ms_30_lines", wanted, True),
        ("plan_round_ms_30_lines", round_, False),
    ):
        floor = Floor(distance_m, "home", "tank_0", "home", every_load, apart)
        took = []
        for _ in range(RUNS):
            begun = time.perf_counter()
            plan = plan_picks("MO-1", lines, stock, floor, today=TODAY, with_lots=codes)
            took.append((time.perf_counter() - begun) * 1000)
        figures[name] = median(took)
        say(f"{name}: {median(took):.1f} ms, {len(plan.picks)} picks")
        if not every_load:
            as_listed = sorted(plan.picks, key=lambda pick: (pick.line, pick.pick))
            listed_m = tour_m([pick.place for pick in as_listed], floor)
            figures["tour_over_listed"] = plan.tour_m / listed_m
    return figures | _schedule(chance, distance_m, say)


def _schedule(
    chance: random.Random,
    distance_m: Callable[[str, str], float],
    say: Callable[[str], None],
) -> dict[str, Any]:
    jobs = [
        Job(
            f"MO-{n}",
            f"tank_{n % 6}",
            tuple(
                Leg(i, f"RM-{i:03d}", f"P{chance.randrange(PLACES)}", 50)
                for i in range(chance.randint(2, 6))
            ),
            60.0 * chance.randint(10, 45),
            urgency=chance.choice([0, 1, 2, 2, 2, 3]),
            due_s=chance.choice([None, 3600.0 * chance.randint(4, 30)]),
        )
        for n in range(ORDERS)
    ]
    robots = tuple(Robot(f"r{n}", "home", "home", 1.0, 500) for n in range(8))
    resources = Resources(robots, 4, distance_m)
    bound_s = lower_bound_s(jobs, resources)
    figures: dict[str, Any] = {}
    for name, improve_s in (("first", 0.0), ("improved", 5.0)):
        begun = time.perf_counter()
        made = make_schedule(jobs, resources, improve_s=improve_s, most_tries=100_000)
        took_s = time.perf_counter() - begun
        figures[f"schedule_over_bound_{name}"] = made.makespan_s / bound_s
        figures[f"schedule_late_h_{name}"] = sum(made.late_s.values()) / 3600
        figures["schedule_s_100_orders" if improve_s else "schedule_first_s"] = took_s
        cost_s = made.makespan_s + sum(made.ends_s.values()) / len(made.ends_s)
        cost_s += LATE_WEIGHT * sum(made.late_s.values())
        figures[f"schedule_cost_h_{name}"] = cost_s / 3600
        say(f"schedule {name}: {took_s:.2f} s, ends {made.makespan_s / 3600:.2f} h")
    return figures | by_solver(jobs, resources, limit_s=SOLVER_S, say=say)
