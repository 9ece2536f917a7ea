"""The history as process mining sees it: cases, and the steps that each of them took.

A case is an instance, a step is what became of an activity of its model. A line of the
history says only that a token came or went; who did it is found by the task.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.history.events import Event
from mpms.domain.models.definitions import ModelStep

ANSWERED = "form answered"


class Phase(enum.StrEnum):
    """The names of the standard lifecycle of XES."""

    START = "start"
    COMPLETE = "complete"
    ABORT = "ate_abort"


PHASES = {"entered": Phase.START, "left": Phase.COMPLETE, "cancelled": Phase.ABORT}
KINDS_READ = (*PHASES, ANSWERED)


class Part(enum.StrEnum):
    """What a thing has to do with an instance."""

    PERFORMS = "performs"  # one step, or shares in it: a machine
    CONCERNS = "concerns"  # every step is about it
    USES = "uses"  # one step, or only known to be of the instance


@dataclass(frozen=True)
class Thing:
    """Something outside the process that an instance had to do with."""

    kind: str
    id: str
    part: Part
    task_id: str | None = None  # of that step


@dataclass(frozen=True)
class CaseHead:
    """An instance without what happened in it."""

    id: str
    definition_id: int
    process: str
    version: int
    business_key: str | None
    status: str
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class CaseStep:
    """One phase of one activity."""

    line: int
    at: datetime
    element: str
    name: str
    phase: Phase
    resource: str | None
    things: tuple[Thing, ...]


@dataclass(frozen=True)
class Case:
    """An instance, its steps in order and its things."""

    head: CaseHead
    steps: Sequence[CaseStep]
    things: tuple[Thing, ...]
    cut: bool  # it has more lines than were read


def case_of(
    head: CaseHead,
    lines: Iterable[Event],
    model: Mapping[str, ModelStep],
    things: Sequence[Thing],
    *,
    cut: bool = False,
) -> Case:
    """Elements that are no activities, such as gateways, are no steps."""
    read = list(lines)
    answered = {line.task_id: line.actor for line in read if line.kind == ANSWERED}
    of_task: dict[str, list[Thing]] = {}
    for thing in things:
        if thing.task_id is not None and thing.part is not Part.CONCERNS:
            of_task.setdefault(thing.task_id, []).append(thing)
    concerned = [thing for thing in things if thing.part is Part.CONCERNS]
    steps = []
    for line in read:
        element = model.get(line.element or "")
        if line.kind not in PHASES or element is None or not element.is_activity:
            continue
        own = of_task.get(line.task_id or "", [])
        doers = [thing.id for thing in own if thing.part is Part.PERFORMS]
        doer = answered.get(line.task_id) if line.task_id else None
        steps.append(
            CaseStep(
                line.cursor.line,
                line.at,
                element.id,
                element.title,
                PHASES[line.kind],
                doer or next(iter(doers), None),
                (*concerned, *own),
            )
        )
    return Case(head, steps, tuple(things), cut)
