"""The runs of a sweep one after the other, told line by line as JSON.

For a program that starts this one as a process: it learns what is going on while it
goes on, keeps what it was told, and says with ``--done`` what need not be run again.
It ends when its standard input does, so that it never outlives who started it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fleet.rmfs.errors import RmfsRefused
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.simulation import Simulation
from shopfloor.experiments.rmfs.sweep import losers
from shopfloor.experiments.rmfs.sweep_file import Case, Sweep, read_sweep
from shopfloor.experiments.rmfs.view import View, floor_of

TOLD_EVERY_S = 0.5
Tell = Callable[[dict[str, Any]], None]


def say(facts: dict[str, Any]) -> None:
    print(json.dumps(facts, separators=(",", ":")), flush=True)


def batch(options: argparse.Namespace) -> int:
    try:
        asked = read_sweep(options.file)
    except RmfsRefused as refused:
        said = f"{options.file}:"
        lines = [line.removeprefix(said) for line in refused.lines]
        say({"event": "refused", "lines": lines})
        return 2
    say({"event": "plan", "runs": len(asked.cases) * len(asked.seeds)})
    if options.check:
        return 0
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        run_all(asked, read_done(options.done), say)
    except RmfsRefused as refused:
        say({"event": "refused", "lines": list(refused.lines)})
        return 2
    say({"event": "end"})
    return 0


def _end_with_input() -> None:
    while sys.stdin.readline():
        pass
    os._exit(3)


def read_done(path: Path | None) -> dict[str, dict[int, float]]:
    """By case and seed the measure of runs that are known; RmfsRefused."""
    if path is None:
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        found: dict[str, dict[int, float]] = {}
        for case, seed, value in rows:
            found.setdefault(str(case), {})[int(seed)] = float(value)
    except (OSError, ValueError, TypeError) as error:
        raise RmfsRefused(
            f"{path} is no list of [case, seed, value]: {error}"
        ) from None
    return found


def run_all(asked: Sweep, done: dict[str, dict[int, float]], tell: Tell) -> None:
    """Seed by seed over all cases; cases that surely lose are dropped."""
    values = {case.name: dict(done.get(case.name, {})) for case in asked.cases}
    dropped: set[str] = set()
    for seed in asked.seeds:
        for case in asked.cases:
            if case.name in dropped or seed in values[case.name]:
                continue
            record = one_run(case, seed, asked, tell)
            if asked.measure not in record:
                raise RmfsRefused(f"runs have no measure {asked.measure!r}")
            values[case.name][seed] = float(record[asked.measure])
        for name in losers(asked, values, seed, dropped):
            dropped.add(name)
            left = len(asked.seeds) - len(values[name])
            tell({"event": "dropped", "case": name, "runs": left})


def one_run(case: Case, seed: int, asked: Sweep, tell: Tell) -> dict[str, Any]:
    experiment = running.prepare(
        case.layout, case.scenario, case.controllers, case.settings
    )
    watched = partial(Told, case=case, seed=seed, tell=tell)
    seen: list[Told] = []

    def watch(simulation: Simulation, duration_s: float) -> Told:
        seen.append(watched(simulation, duration_s))
        return seen[0]

    outcome = running.run(experiment, seed=seed, hours=asked.hours, watch=watch)
    first = seed == asked.seeds[0]
    tell(
        {
            "event": "run",
            "case": case.name,
            "seed": seed,
            "settings": list(case.settings),
            "record": outcome.record,
            "series": outcome.series.rows,
            "view": seen[0].whole() if first else None,
        }
    )
    return outcome.record


class Told(View):
    """A view that also tells where everything is now, twice a second."""

    def __init__(
        self,
        simulation: Simulation,
        duration_s: float,
        *,
        case: Case,
        seed: int,
        tell: Tell,
    ) -> None:
        super().__init__(simulation, duration_s)
        self._run, self._duration_s, self._tell = simulation, duration_s, tell
        self._facts = {"event": "now", "case": case.name, "seed": seed}
        self._next = time.monotonic()
        self._floor: dict[str, Any] | None = floor_of(simulation)

    def look(self) -> None:
        super().look()
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + TOLD_EVERY_S
        share = self._run.warehouse.now / self._duration_s
        facts = {**self._facts, "share": round(share, 4), "frame": self.now()}
        if self._floor is not None:
            facts["floor"], self._floor = self._floor, None
        self._tell(facts)
