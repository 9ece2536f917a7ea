"""What the history says of a process: how long each step took, what came of it.

The time of a form is from when somebody took it until it was answered: waiting for a
person is what the test-drive finds out itself. The same holds for machines, of which
the plug-in knows when they began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mpms.domain.history.cases import CaseHead
from mpms.domain.history.events import Event
from mpms.domain.testdrive.scenario import MOST_SAMPLES, Arrival, Learnt
from mpms.ports.store import UnitOfWork
from mpms.services.history.window import Window, heads_in
from mpms.services.testdrive.stand import Plant

MOST_LINES = 5_000  # of an instance
AT_ONCE = 100
MOST_LEARNT = 2_000  # instances; the newest ones
TAKEN = ("task claimed", "draft begun")
KINDS = ("entered", "left", *TAKEN, "form answered", "problem reported", "variable")


@dataclass
class Lessons:
    """While instances are read."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    answers: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    results: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)
    instances: int = 0

    def learnt(self) -> Learnt:
        return Learnt(
            {e: _thinned(sorted(all_)) for e, all_ in self.seconds.items()},
            {e: all_[-MOST_SAMPLES:] for e, all_ in self.answers.items()},
            {e: all_[-MOST_SAMPLES:] for e, all_ in self.results.items()},
            {e: all_[-MOST_SAMPLES:] for e, all_ in self.problems.items()},
            self.instances,
        )


@dataclass(frozen=True)
class Recorded:
    """Of a window: what was learnt, and what came, as it came."""

    learnt: Learnt
    arrivals: Sequence[Arrival]


def learn(uow: UnitOfWork, plant: Plant, window: Window, *, most: int) -> Recorded:
    """Nothing recorded is no error: then all is by default."""
    lessons = Lessons()
    heads: list[CaseHead] = []
    for found in heads_in(uow, window, at_once=500):
        heads += found
        del heads[: -max(most, MOST_LEARNT)]
    begun: dict[str, Mapping[str, Any]] = {}
    details: dict[str, Any] = {}
    for first in range(0, len(heads), AT_ONCE):
        some = heads[first : first + AT_ONCE]
        ids = [head.id for head in some]
        with uow() as tx:
            lines = tx.cases.happened(ids, kinds=KINDS, limit=MOST_LINES)
            work_s = plant.work_s(tx, ids)
            details |= plant.details(tx, [h.business_key or h.id for h in some])
        for head in some:
            of_it = lines.get(head.id, ())
            begun[head.id] = _given(of_it)
            if head.ended_at is not None:
                take(lessons, of_it, work_s)
    came = heads[-most:]
    start_at = came[0].started_at if came else None
    arrivals = [
        Arrival(
            head.business_key or head.id,
            (head.started_at - start_at).total_seconds() if start_at else 0.0,
            begun[head.id],
            details.get(head.business_key or head.id),
        )
        for head in came
    ]
    return Recorded(lessons.learnt(), arrivals)


def take(lessons: Lessons, lines: Sequence[Event], work_s: Mapping[str, float]) -> None:
    """Learn from one instance that has ended."""
    lessons.instances += 1
    since: dict[str, Any] = {}
    answered: set[str] = set()
    set_now: dict[str, Any] = {}
    for line in lines:
        task, element = line.task_id or "", line.element or ""
        if line.kind == "variable":
            if "name" in line.data and "new" in line.data:
                set_now[str(line.data["name"])] = line.data["new"]
            continue
        if line.kind == "entered" or (line.kind in TAKEN and task in since):
            since[task] = line.at
        elif line.kind == "form answered" and task in since:
            answered.add(task)
            lasted_s = (line.at - since[task]).total_seconds()
            lessons.seconds.setdefault(element, []).append(max(lasted_s, 0.0))
            given = line.data.get("answers")
            if isinstance(given, dict):
                lessons.answers.setdefault(element, []).append(given)
        elif line.kind == "problem reported":
            code = str(line.data.get("code", ""))
            lessons.problems.setdefault(element, []).append(code)
        elif line.kind == "left" and task in since and task not in answered:
            lasted_s = (line.at - since[task]).total_seconds()
            known_s = work_s.get(task, max(lasted_s, 0.0))
            lessons.seconds.setdefault(element, []).append(known_s)
            lessons.results.setdefault(element, []).append(dict(set_now))
        set_now = {}


def _given(lines: Sequence[Event]) -> Mapping[str, Any]:
    """The variables that an instance was started with."""
    found: dict[str, Any] = {}
    for line in lines:
        if line.kind != "variable":
            break
        found[str(line.data.get("name"))] = line.data.get("new")
    return found


def _thinned(ordered: list[float]) -> list[float]:
    """So many at the most, evenly over all, the first and the last with them."""
    if len(ordered) <= MOST_SAMPLES:
        return ordered
    step = (len(ordered) - 1) / (MOST_SAMPLES - 1)
    return [ordered[round(n * step)] for n in range(MOST_SAMPLES)]
