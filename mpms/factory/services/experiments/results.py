"""What came out: cases side by side with 95 % intervals, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fleet.rmfs.statistics import Interval, difference, interval
from mpms.factory.domain.experiments import case_facts
from mpms.factory.ports.experiments import Run

MEASURES = (
    "orders_per_h",
    "items_per_h",
    "score",
    "pile_on",
    "distance_km_per_h",
    "trips_per_h",
    "pick_station_idle",
    "order_turnover_s",
    "late_share",
)
SMALLER_IS_BETTER = {
    "distance_km_per_h",
    "trips_per_h",
    "pick_station_idle",
    "order_turnover_s",
    "late_share",
}
ENOUGH = 0.95  # of the orders placed are done by the end, which is never all of them


@dataclass(frozen=True)
class Value:
    """A mean with half of its interval, and how it differs from the best case.

    ``worse``: surely, on the same random numbers. None: not with so few runs.
    """

    mean: float
    half: float | None
    best: bool
    worse: bool | None


@dataclass(frozen=True)
class Case:
    """All runs of one combination."""

    name: str
    facts: Mapping[str, str]
    robots: int
    runs: int
    values: Mapping[str, Value]
    on_front: bool


def cases_of(runs: Sequence[Run]) -> list[Case]:
    """The highest score first."""
    by_case: dict[str, list[Run]] = {}
    for run in runs:
        by_case.setdefault(run.case, []).append(run)
    columns = {
        name: _column(by_case, name)
        for name in MEASURES
        if all(name in run.footprint for run in runs)
    }
    robots = {name: int(own[0].footprint["robots"]) for name, own in by_case.items()}
    means = {name: columns["orders_per_h"][name].mean for name in by_case}
    found = [
        Case(
            name,
            case_facts(name),
            robots[name],
            len(own),
            {measure: column[name] for measure, column in columns.items()},
            not any(
                robots[other] <= robots[name]
                and means[other] >= means[name]
                and (robots[other], means[other]) != (robots[name], means[name])
                for other in by_case
            ),
        )
        for name, own in by_case.items()
    ]
    return sorted(found, key=lambda case: -case.values["score"].mean)


def _column(by_case: Mapping[str, Sequence[Run]], name: str) -> dict[str, Value]:
    sign = -1.0 if name in SMALLER_IS_BETTER else 1.0
    seeds = {case: _by_seed(own, name) for case, own in by_case.items()}
    spans = {case: interval(list(own.values())) for case, own in seeds.items()}
    best = max(spans, key=lambda case: sign * spans[case].mean)
    found = {}
    for case, span in spans.items():
        lead = difference(seeds[best], seeds[case])
        surely = None
        if case != best and lead is not None and lead.count >= 2:
            surely = abs(lead.mean) > lead.half
        found[case] = Value(span.mean, _half(span), case == best, surely)
    return found


def _by_seed(runs: Sequence[Run], name: str) -> dict[int, float]:
    return {run.seed: float(run.footprint[name] or 0.0) for run in runs}


def _half(span: Interval) -> float | None:
    return span.half if math.isfinite(span.half) else None


@dataclass(frozen=True)
class Option:
    """One case, as an answer to how many orders it manages."""

    case: str
    robots: int
    assignment: str
    served: float  # share of the placed orders that were done
    served_half: float | None
    orders_per_h: float
    orders_half: float | None
    turnover_s: float
    late: float
    idle: float
    enough: bool


@dataclass(frozen=True)
class Advice:
    """``chosen``: the fewest robots that manage the orders, and the quickest way then.

    ``sure``: its turnover time surely is shorter than that of ``next``, the next best
    with as many robots. ``fewer``: the best with fewer robots, which is not enough.
    Without ``enough`` it is the best there is; ``surely_enough``: chance set apart.
    """

    chosen: Option
    enough: bool
    surely_enough: bool
    next: Option | None
    sure: bool | None
    gain_s: float | None
    gain_half_s: float | None
    fewer: Option | None
    options: Sequence[Option]
    runs: int


def advise(runs: Sequence[Run]) -> Advice | None:
    """None without runs."""
    by_case: dict[str, list[Run]] = {}
    for run in runs:
        by_case.setdefault(run.case, []).append(run)
    options = [_option(name, own) for name, own in by_case.items()]
    if not options:
        return None
    enough = [option for option in options if option.enough]
    if enough:
        least = min(option.robots for option in enough)
        same = [option for option in options if option.robots == least]
        same.sort(key=lambda option: (not option.enough, option.turnover_s))
    else:
        same = sorted(options, key=lambda option: -option.served)
    chosen = same[0]
    following = same[1] if len(same) > 1 else None
    gain = None
    if following is not None:
        gain = difference(
            _by_seed(by_case[following.case], "order_turnover_s"),
            _by_seed(by_case[chosen.case], "order_turnover_s"),
        )
    fewer = [option for option in options if option.robots < chosen.robots]
    known = gain is not None and gain.count >= 2
    return Advice(
        chosen,
        bool(enough),
        chosen.served - (chosen.served_half or 0.0) >= ENOUGH,
        following,
        gain.low > 0.0 if gain is not None and known else None,
        None if gain is None else gain.mean,
        None if gain is None else _half(gain),
        max(fewer, key=lambda option: option.served, default=None),
        sorted(options, key=lambda option: (option.robots, -option.served)),
        len(runs),
    )


def _option(name: str, runs: Sequence[Run]) -> Option:
    facts = [run.footprint for run in runs]
    served = interval([f["orders"] / max(1, f["orders_placed"]) for f in facts])
    rate = interval([float(f["orders_per_h"]) for f in facts])

    def mean(measure: str) -> float:
        return sum(float(f[measure] or 0.0) for f in facts) / len(facts)

    return Option(
        name,
        int(facts[0]["robots"]),
        str(facts[0]["strategy_poa"]),
        served.mean,
        _half(served),
        rate.mean,
        _half(rate),
        mean("order_turnover_s"),
        mean("late_share"),
        mean("pick_station_idle"),
        served.mean >= ENOUGH,
    )
