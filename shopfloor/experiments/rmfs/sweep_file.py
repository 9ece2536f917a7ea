"""A sweep as a file: which settings are combined, with which seeds, for how long."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path

from fleet.model.fields import Entry, Mistakes, parse
from fleet.rmfs.errors import RmfsRefused
from shopfloor.experiments.rmfs import running

MOST_RUNS = 100_000


@dataclass(frozen=True)
class Case:
    """One combination; its seeds are run one after the other."""

    name: str
    layout: str
    scenario: str
    controllers: str
    settings: tuple[str, ...]

    def key(self, seed: int) -> str:
        """What a finished run is known by."""
        facts = [self.layout, self.scenario, self.controllers, *self.settings, seed]
        return json.dumps(facts)


@dataclass(frozen=True)
class Sweep:
    """All cases. ``drop_losers``: on ``measure``, once so many seeds are done."""

    cases: tuple[Case, ...]
    seeds: tuple[int, ...]
    hours: float
    measure: str = "score"
    drop_losers_after: int = 0
    out: str = ""


def read_sweep(path: Path) -> Sweep:
    """RmfsRefused, with every mistake at once: also those of the runs it names."""
    wrong = Mistakes()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RmfsRefused(f"{path} cannot be read: {error}") from None
    top = parse(str(path), text, wrong)
    if top is None:
        raise RmfsRefused(*(wrong.lines() or [f"{path} is empty"]))
    base = {
        "layout": top.text("layout", "1-2-2-8-428"),
        "scenario": top.text("scenario", "default"),
        "controllers": top.text("controllers", "default"),
    }
    fixed = _texts(top.get("set"))
    varied = _varied(top)
    hours = top.number("hours", above=0.0)
    seeds = int(top.number("seeds", 3.0, least=1.0, most=10_000.0))
    first = int(top.number("first_seed", 0.0, least=0.0))
    measure = top.text("measure", "score")
    drop = int(top.number("drop_losers_after", 0.0, least=0.0))
    out = top.text("out", str(path.with_suffix("")))
    top.finish()
    cases = []
    for chosen in itertools.product(*(values for _, values in varied)):
        named = dict(zip((key for key, _ in varied), chosen, strict=True))
        parts = {key: named.get(key, value) for key, value in base.items()}
        settings = [f"{k}={v}" for k, v in named.items() if k not in base]
        name = " ".join(f"{key}={value}" for key, value in named.items()) or "base"
        case = Case(name, **parts, settings=(*fixed, *settings))
        cases.append(case)
        if len(cases) * seeds > MOST_RUNS:
            raise RmfsRefused(f"{path}: more than {MOST_RUNS} runs")
    if not wrong.found:
        _try(cases, wrong, path)
    if wrong.found:
        raise RmfsRefused(*wrong.lines())
    return Sweep(
        tuple(cases), tuple(range(first, first + seeds)), hours, measure, drop, out
    )


def _texts(entry: Entry | None) -> list[str]:
    return [] if entry is None else [each.as_text() for each in entry.items()]


def _varied(top: Entry) -> list[tuple[str, list[str]]]:
    entry = top.get("vary")
    found = []
    for key, each in [] if entry is None else entry.pairs():
        values = _texts(each) if each.is_list() else [each.as_text()]
        if not values:
            each.wrong("has no values")
        found.append((key, values))
    return found


def _try(cases: list[Case], wrong: Mistakes, path: Path) -> None:
    told: set[str] = set()
    for case in cases:
        try:
            running.prepare(case.layout, case.scenario, case.controllers, case.settings)
        except RmfsRefused as refused:
            told.update(refused.lines)
    for line in sorted(told):
        wrong.add(str(path), 1, line)
