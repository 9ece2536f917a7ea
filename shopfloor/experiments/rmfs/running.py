"""One experiment from its three parts to its record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.floor import Floor
from fleet.rmfs.layout import LayoutParameters
from fleet.rmfs.strategies.base import PROBLEMS, Strategy
from fleet.rmfs.strategies.registry import DEFAULTS, Choice, Registry
from shopfloor.experiments.rmfs import files
from shopfloor.experiments.rmfs.checker import Checker
from shopfloor.experiments.rmfs.footprint import footprint
from shopfloor.experiments.rmfs.scenario import Scenario
from shopfloor.experiments.rmfs.series import Series
from shopfloor.experiments.rmfs.simulation import Listener, Simulation

STRATEGIES = "mpms.rmfs_strategies"
"""Entry points of packages that bring strategies: each names one class."""


def registry() -> Registry:
    """Ours, and those of installed packages. RmfsRefused if one cannot be used."""
    known = Registry()
    for point in sorted(entry_points(group=STRATEGIES), key=lambda each: each.name):
        try:
            found = point.load()
        except Exception as fault:  # of others: named, and the reason told
            raise RmfsRefused(
                f"the strategy {point.name} ({point.value}) cannot be loaded: {fault!r}"
            ) from fault
        if not (isinstance(found, type) and issubclass(found, Strategy)):
            raise RmfsRefused(f"{point.name} ({point.value}) is no class of strategy")
        known.add(found)
    return known


@dataclass(frozen=True, eq=False)
class Experiment:
    """Everything that a run needs but its seed."""

    layout_name: str
    scenario_name: str
    controllers_name: str
    layout: LayoutParameters
    floor: Floor
    scenario: Scenario
    choices: dict[str, Choice]
    known: Registry
    settings: tuple[str, ...] = ()

    @property
    def strategies(self) -> dict[str, str]:
        return {
            problem: self.choices.get(problem, Choice(DEFAULTS[problem])).name
            for problem in PROBLEMS
        }


def prepare(
    layout: str = "1-2-2-8-428",
    scenario: str = "default",
    controllers: str = "default",
    settings: Iterable[str] = (),
) -> Experiment:
    """RmfsRefused, with every mistake of all files and settings at once."""
    known = registry()
    wrong: list[str] = []
    parts: list[Any] = []
    readers: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = (
        (files.read_layout, (layout,)),
        (files.read_scenario, (scenario,)),
        (files.read_controllers, (controllers, known)),
    )
    empty: tuple[Any, ...] = ((LayoutParameters(), None), Scenario(), {})
    for (read, facts), instead in zip(readers, empty, strict=True):
        try:
            parts.append(read(*facts))
        except RmfsRefused as refused:
            wrong += refused.lines
            parts.append(instead)
    (given, floor), events, choices = parts
    settings = tuple(settings)
    try:
        given, events, choices = files.apply_settings(
            settings, given, events, choices, known, drawn=floor is not None
        )
        floor = files.floor_of(given, floor)
        names = {"layouts": layout, "scenarios": scenario}
        for kind, key, told in files.misfits(given, floor, events):
            place = files.line_of(kind, names[kind], key) if kind else ""
            wrong.append(place + told)
        known.schedule(choices, events.duration_s)
    except RmfsRefused as refused:
        wrong += [line for line in refused.lines if line not in wrong]
    if wrong:
        raise RmfsRefused(*wrong)
    return Experiment(
        layout, scenario, controllers, given, floor, events, choices, known, settings
    )


class Watch(Protocol):
    """Somebody who looks at a run and changes nothing."""

    every_s: float

    def look(self) -> None: ...


@dataclass(eq=False)
class Outcome:
    """What is left of a run."""

    experiment: Experiment
    seed: int
    simulation: Simulation
    record: dict[str, Any]
    series: Series


def run(
    experiment: Experiment,
    *,
    seed: int = 0,
    hours: float | None = None,
    verify: bool = False,
    listener: Listener | None = None,
    progress: Callable[[float], None] | None = None,
    sample_s: float = 300.0,
    watch: Callable[[Simulation, float], Watch] | None = None,
) -> Outcome:
    """Run to the end. ``verify`` follows every robot with the independent checker.

    ``watch`` makes somebody who looks at the run every few seconds of its time.
    """
    layout = experiment.layout
    checker = Checker(layout.robots, layout.robot_radius_m, layout.top_speed_mps)
    duration_s = experiment.scenario.duration_s if hours is None else hours * 3600.0
    simulation = Simulation(
        layout,
        experiment.floor,
        experiment.scenario,
        experiment.choices,
        seed=seed,
        registry=experiment.known,
        listener=listener,
        pieces=checker if verify else None,
        duration_s=duration_s,
    )
    series = Series(simulation)
    watching = None if watch is None else watch(simulation, duration_s)
    look_s, sampled_s, until_s = math.inf, sample_s, 0.0
    if watching is not None:
        look_s = watching.every_s
    while until_s < duration_s:
        until_s = min(duration_s, sampled_s, look_s)
        simulation.run(until_s)
        if watching is not None and until_s >= look_s:
            watching.look()
            look_s += watching.every_s
            if listener is not None:
                listener(until_s, "render", {})
        if until_s >= min(sampled_s, duration_s):
            series.sample()
            sampled_s += sample_s
            if progress is not None:
                progress(until_s / duration_s)
    record = {
        "layout": experiment.layout_name,
        "scenario": experiment.scenario_name,
        "controllers": experiment.controllers_name,
        "seed": seed,
        **{f"strategy_{p}": name for p, name in experiment.strategies.items()},
        **footprint(simulation),
        "collisions": checker.collisions,
        "collisions_checked": verify,
    }
    if verify:
        record["least_distance_m"] = checker.least_m
    if listener is not None:
        listener(until_s, "output results", {"orders": record["orders"]})
    return Outcome(experiment, seed, simulation, record, series)
