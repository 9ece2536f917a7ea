"""What a test-drive says: figures of each version, and how they differ.

Versions are compared run by run: each seed is driven through both, and the interval is
of the differences between the two. So what both have in common cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, stdev
from typing import Any

from mpms.domain.testdrive.floor import Floor, Square

# Two-sided 95 % of Student's t, by degrees of freedom.
_T95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_NORMAL95 = 1.960

FIGURES = (
    "lead_time_mean_s",
    "lead_time_p95_s",
    "waiting_mean_s",
    "ended_share",
    "robot_use",
    "people_use",
)
"""What versions are compared by; a lower one is better up to the third."""


@dataclass(frozen=True)
class Note:
    """A sentence with holes, so that a page can say it in another language."""

    text: str
    holes: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.holes)


@dataclass(frozen=True)
class StepFigures:
    """One element in one run."""

    element: str
    name: str
    kind: str
    visits: int = 0
    seconds: float = 0.0  # of all visits together
    waited_s: float = 0.0  # of those, until somebody or something was free


@dataclass(frozen=True)
class Run:
    """One version with one seed."""

    seed: int
    arrived: int
    lead_times_s: Sequence[float]  # of those that ended as the model means
    waited_s: Sequence[float]  # of each of them, all waits together
    failed: int  # ended otherwise
    lasted_s: float  # from the first order to the last end
    machines: Mapping[str, float]  # machine to the share of that time at work
    people: Mapping[str, float]
    steps: Sequence[StepFigures]
    stuck: Mapping[str, int] = field(default_factory=dict)  # what, how many
    floor_s: Mapping[Square, float] = field(default_factory=dict)  # machines at work

    def figures(self) -> dict[str, float | None]:
        times = sorted(self.lead_times_s)
        return {
            "lead_time_mean_s": fmean(times) if times else None,
            "lead_time_p95_s": times[math.ceil(0.95 * len(times)) - 1]
            if times
            else None,
            "waiting_mean_s": fmean(self.waited_s) if self.waited_s else None,
            "ended_share": len(times) / self.arrived if self.arrived else None,
            "robot_use": fmean(self.machines.values()) if self.machines else None,
            "people_use": fmean(self.people.values()) if self.people else None,
        }


@dataclass(frozen=True)
class Estimate:
    """A mean over the seeds with its 95 % interval; None: one seed says no width."""

    mean: float
    low: float | None
    high: float | None


def estimate(values: Sequence[float]) -> Estimate:
    mean = fmean(values)
    if len(values) < 2:
        return Estimate(mean, None, None)
    freedom = len(values) - 1
    t = _T95[freedom - 1] if freedom <= len(_T95) else _NORMAL95
    half = t * stdev(values) / math.sqrt(len(values))
    return Estimate(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Driven:
    """One version, over all seeds."""

    title: str
    runs: Sequence[Run]

    def estimates(self) -> dict[str, Estimate | None]:
        found: dict[str, Estimate | None] = {}
        for figure in FIGURES:
            values = [run.figures()[figure] for run in self.runs]
            known = [value for value in values if value is not None]
            found[figure] = estimate(known) if known else None
        return found

    @property
    def steps(self) -> Sequence[StepFigures]:
        """Over all seeds together."""
        found: dict[str, StepFigures] = {}
        for run in self.runs:
            for step in run.steps:
                old = found.get(step.element)
                found[step.element] = StepFigures(
                    step.element,
                    step.name,
                    step.kind,
                    step.visits + (old.visits if old else 0),
                    step.seconds + (old.seconds if old else 0.0),
                    step.waited_s + (old.waited_s if old else 0.0),
                )
        return list(found.values())

    @property
    def machines(self) -> dict[str, float]:
        names = dict.fromkeys(name for run in self.runs for name in run.machines)
        return {n: fmean(r.machines.get(n, 0.0) for r in self.runs) for n in names}

    @property
    def people(self) -> dict[str, float]:
        names = dict.fromkeys(name for run in self.runs for name in run.people)
        return {n: fmean(r.people.get(n, 0.0) for r in self.runs) for n in names}

    @property
    def floor_s(self) -> dict[Square, float]:
        """Seconds of a run by square of the floor."""
        squares = dict.fromkeys(square for run in self.runs for square in run.floor_s)
        return {s: fmean(r.floor_s.get(s, 0.0) for r in self.runs) for s in squares}

    @property
    def stuck(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for run in self.runs:
            for what, count in run.stuck.items():
                found[what] = found.get(what, 0) + count
        return found


@dataclass(frozen=True)
class Difference:
    """New less present; ``clear`` where the interval leaves out zero."""

    figure: str
    present: float
    new: float
    by: Estimate

    @property
    def clear(self) -> bool:
        low, high = self.by.low, self.by.high
        return low is not None and high is not None and not low <= 0.0 <= high


def differences(present: Driven, new: Driven) -> list[Difference]:
    """Of every figure that both have, seed by seed."""
    found = []
    for figure in FIGURES:
        pairs = []
        for old, now in zip(present.runs, new.runs, strict=True):
            before, after = old.figures()[figure], now.figures()[figure]
            if before is not None and after is not None:
                pairs.append((before, after))
        if pairs:
            found.append(
                Difference(
                    figure,
                    fmean(before for before, _ in pairs),
                    fmean(after for _, after in pairs),
                    estimate([after - before for before, after in pairs]),
                )
            )
    return found


@dataclass(frozen=True)
class StepTime:
    """Where the time of a step comes from: so many samples, or none and a default."""

    element: str
    name: str
    samples: int
    median_s: float
    learnt: bool


@dataclass(frozen=True)
class Report:
    """All of it."""

    process: str
    arrivals: int
    source: str
    seeds: Sequence[int]
    new: Driven
    present: Driven | None
    times: Sequence[StepTime]
    assumed: Sequence[Note]
    not_simulated: Sequence[Note]
    took_s: float
    floor: Floor | None = None

    @property
    def differences(self) -> Sequence[Difference]:
        return [] if self.present is None else differences(self.present, self.new)


def median_of(values: Sequence[float]) -> float:
    return median(values) if values else 0.0
