"""A sweep as a file: which settings are combined, with which seeds, for how long."""

from __future__ import annotations

import dataclasses
import difflib
import itertools
import json
from dataclasses import dataclass
from pathlib import Path

from fleet.model.fields import Entry, Mistakes, parse
from fleet.rmfs.errors import RmfsRefused
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.comparing import MEASURES

MOST_RUNS = 100_000
PARTS = ("layout", "scenario", "controllers")


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
    lines: dict[str, int] = {}
    fixed = _settings(top, lines)
    varied = _varied(top, lines)
    hours = top.number("hours", above=0.0)
    seeds = int(top.number("seeds", 3.0, least=1.0, most=10_000.0))
    first = int(top.number("first_seed", 0.0, least=0.0))
    measure = top.text("measure", "score")
    _check_measure(top, measure)
    drop = int(top.number("drop_losers_after", 0.0, least=0.0))
    out = top.text("out", str(path.with_suffix("")))
    top.finish()
    _explain(wrong)
    for key in base:
        entry = top.get(key)
        if entry is not None:
            lines[base[key]] = entry.line
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
    _try(cases, base, lines, wrong, path)
    if wrong.found:
        raise RmfsRefused(*wrong.lines())
    return Sweep(
        tuple(cases), tuple(range(first, first + seeds)), hours, measure, drop, out
    )


def _settings(top: Entry, lines: dict[str, int]) -> list[str]:
    entry = top.get("set")
    found = []
    for each in [] if entry is None else entry.items():
        found.append(each.as_text())
        lines[found[-1]] = each.line
    return found


def _varied(top: Entry, lines: dict[str, int]) -> list[tuple[str, list[str]]]:
    """Keys and their values; ``lines`` learns where each is written."""
    entry = top.get("vary")
    found = []
    for key, each in [] if entry is None else entry.pairs():
        parts = list(each.items()) if each.is_list() else [each]
        if not parts:
            each.wrong("has no values")
        values = [part.as_text() for part in parts]
        for part, value in zip(parts, values, strict=True):
            whole = value if key in PARTS else f"{key}={value}"
            lines[whole] = part.line if each.is_list() else each.line
        found.append((key, values))
    return found


def _check_measure(top: Entry, measure: str) -> None:
    if measure in MEASURES:
        return
    record = running.run(running.prepare("1-1-1-1-20"), hours=1.0 / 3600.0).record
    numbers = [k for k, v in record.items() if isinstance(v, int | float)]
    entry = top.get("measure")
    if entry is not None and measure not in numbers:
        near = difflib.get_close_matches(measure, numbers, 1)
        hint = (
            f"did you mean {near[0]}" if near else f"often used: {', '.join(MEASURES)}"
        )
        entry.wrong(f"is {measure!r}, which no run has; {hint}")


def _explain(wrong: Mistakes) -> None:
    """What was perhaps meant by a key that is not known."""
    known = [each.name for each in dataclasses.fields(Sweep)]
    known += ["layout", "scenario", "controllers", "set", "vary", "first_seed"]
    for n, found in enumerate(wrong.found):
        key, _, rest = found.text.partition(" ")
        near = difflib.get_close_matches(key, known, 1)
        if rest == "is not known here" and near:
            text = f"{found.text}; did you mean {near[0]}"
            wrong.found[n] = dataclasses.replace(found, text=text)


def _try(
    cases: list[Case],
    base: dict[str, str],
    lines: dict[str, int],
    wrong: Mistakes,
    path: Path,
) -> None:
    """Each value alone first, so that its line can be told; then together."""
    told: set[str] = set()

    def refused_by(case: Case) -> list[str]:
        try:
            running.prepare(case.layout, case.scenario, case.controllers, case.settings)
        except RmfsRefused as refused:
            return [line for line in refused.lines if line not in told]
        return []

    alone = [Case("", **base, settings=())]
    for value in lines:
        alone += [
            Case("", **{**base, key: value}, settings=())
            for key in PARTS
            if any(getattr(case, key) == value for case in cases)
        ]
        if any(value in case.settings for case in cases):
            alone.append(Case("", **base, settings=(value,)))
    for case in (*alone, *cases):
        values = (case.layout, case.scenario, case.controllers, *case.settings)
        known = [lines[value] for value in values if value in lines]
        for line in refused_by(case):
            told.add(line)
            wrong.add(str(path), known[-1] if known else 1, line)
