"""Plans of experiments: what is simulated, in the words of a sweep's file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import erf, sqrt
from typing import Any

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
KEY = re.compile(r"[a-z][a-z0-9_]{0,39}(\.[a-z][a-z0-9_]{0,39})?")
PARTS = ("layout", "scenario", "controllers")
MOST_RUNS, MOST_SEEDS, MOST_HOURS, MOST_ROBOT_HOURS = 400, 30, 168.0, 100_000.0
MOST_TEXT = 200
ASSIGNMENTS = ("PodMatchFastLane", "PodMatch", "FastLane", "DueTime")
"""Pick order assignments that the wizard compares: no decision counts for more."""
STEPS = 4
BUNDLE_UNITS, SPARE_BUNDLES = 8.0, 1.15
PICK_S = 10.0
SD_LINES, SD_UNITS = 0.8, 0.5


def faults_of_plan(plan: Mapping[str, Any]) -> list[str]:
    """What may not be asked on pages, whatever the simulator says of it."""
    wrong = [
        f"{part} is a name that comes along, not {plan[part]!r}"
        for part in PARTS
        if part in plan and not NAME.fullmatch(str(plan[part]))
    ]
    vary: Mapping[str, Sequence[Any]] = plan.get("vary") or {}
    for key, values in vary.items():
        if not KEY.fullmatch(key):
            wrong.append(f"{key!r} is no name of a setting")
        if key in PARTS:
            names = [value for value in values if not NAME.fullmatch(str(value))]
            wrong += [f"{key} is a name that comes along, not {n!r}" for n in names]
    for setting in plan.get("set") or ():
        key, equals, value = str(setting).partition("=")
        if not equals or not KEY.fullmatch(key) or not 0 < len(value) <= MOST_TEXT:
            wrong.append(f"{setting!r} is not like poa=PodMatch")
    seeds, hours = plan.get("seeds", 1), plan.get("hours", 0)
    if not 1 <= seeds <= MOST_SEEDS:
        wrong.append(f"Between 1 and {MOST_SEEDS} runs of each case, not {seeds}.")
    if not 0 < hours <= MOST_HOURS:
        wrong.append(f"Between 0 and {MOST_HOURS:g} hours, not {hours:g}.")
    runs = seeds
    for values in vary.values():
        runs *= max(1, len(values))
    if runs > MOST_RUNS:
        wrong.append(
            f"{runs} runs are more than {MOST_RUNS}; larger sweeps go over several"
            " machines with shopfloor rmfs sweep"
        )
    return wrong


@dataclass(frozen=True)
class Question:
    """What the owner of a warehouse knows of it."""

    orders_per_h: float
    lines_per_order: float = 1.6
    units_per_line: float = 1.2
    skus: int = 1000
    pick_stations: int = 2
    replenishment_stations: int = 2
    pods: int = 400
    robots_from: int = 4
    robots_to: int = 16
    hours: float = 4.0
    seeds: int = 3

    @property
    def items_per_h(self) -> float:
        return self.orders_per_h * self.lines_per_order * self.units_per_line

    @property
    def answered_by(self) -> dict[str, Any]:
        return asdict(self)


def faults_of_question(asked: Question) -> list[str]:
    limits = {
        "orders_per_h": (1, 20_000),
        "lines_per_order": (1, 4),
        "units_per_line": (1, 3),
        "skus": (10, 20_000),
        "pick_stations": (1, 32),
        "replenishment_stations": (1, 32),
        "pods": (20, 10_000),
        "robots_from": (1, 500),
        "robots_to": (1, 500),
        "hours": (1, 24),
        "seeds": (2, 10),
    }
    wrong = [
        f"{name} lies between {low} and {high}"
        for name, (low, high) in limits.items()
        if not low <= getattr(asked, name) <= high
    ]
    if asked.robots_to < asked.robots_from:
        wrong.append("robots_to is less than robots_from")
    most = asked.pick_stations * 3600.0 / PICK_S
    if not wrong and asked.items_per_h > most:
        wrong.append(
            f"{asked.pick_stations} pick stations pick at most {most:.0f} units per"
            f" hour, and {asked.items_per_h:.0f} are asked for"
        )
    return wrong


def mean_to_draw(wanted: float, sd: float, most: int) -> float:
    """Of the normal distribution that, rounded and kept from 1 to ``most``, has it."""
    low, high = 1.0 - 3.0 * sd - 1.0, most + 3.0 * sd + 1.0
    for _ in range(40):
        middle = (low + high) / 2.0
        if _kept_mean(middle, sd, most) < wanted:
            low = middle
        else:
            high = middle
    return high


def _kept_mean(mean: float, sd: float, most: int) -> float:
    shares = {
        n: erf((n + 0.5 - mean) / (sd * sqrt(2.0)))
        - erf((n - 0.5 - mean) / (sd * sqrt(2.0)))
        for n in range(1, most + 1)
    }
    total = sum(shares.values())
    if total < 1e-9:
        return 1.0 if mean < 1.0 else float(most)
    return sum(n * share for n, share in shares.items()) / total


def robots_between(low: int, high: int) -> list[int]:
    """A few numbers from the least to the most."""
    steps = min(STEPS, high - low + 1)
    if steps == 1:
        return [low]
    found = {round(low + (high - low) * n / (steps - 1)) for n in range(steps)}
    return sorted(found)


def plan_of(asked: Question) -> dict[str, Any]:
    """The sweep that answers a question: how many robots, and which assignment."""
    name = (
        f"1-{asked.replenishment_stations}-{asked.pick_stations}"
        f"-{asked.robots_to}-{asked.pods}"
    )
    per_station = asked.orders_per_h / asked.pick_stations
    bundles = asked.items_per_h / BUNDLE_UNITS * SPARE_BUNDLES
    bundles /= asked.replenishment_stations
    settings = {
        "mode": "poisson",
        "orders": 20,
        "orders_per_h": round(per_station, 2),
        "high_orders_per_h": round(per_station, 2),
        "bundles_per_h": round(bundles, 2),
        "high_bundles_per_h": round(bundles, 2),
        "skus": asked.skus,
        "lines.mean": round(mean_to_draw(asked.lines_per_order, SD_LINES, 4), 3),
        "lines.sd": SD_LINES,
        "units.mean": round(mean_to_draw(asked.units_per_line, SD_UNITS, 3), 3),
        "units.sd": SD_UNITS,
    }
    robots = robots_between(asked.robots_from, asked.robots_to)
    return {
        "layout": name,
        "scenario": "poisson",
        "controllers": "default",
        "hours": asked.hours,
        "seeds": asked.seeds,
        "set": [f"{key}={value}" for key, value in settings.items()],
        "vary": {"robots": [str(n) for n in robots], "poa": list(ASSIGNMENTS)},
        "measure": "orders_per_h",
    }


def case_facts(case: str) -> dict[str, str]:
    """``robots=8 poa=PodMatch`` as what it says."""
    pairs = (part.partition("=") for part in case.split())
    return {key: value for key, equals, value in pairs if equals}
