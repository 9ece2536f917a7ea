"""Where most time goes in a process, and what for: the few steps worth a sentence.

Shares are of the time that all steps took together, so that steps side by side do not
make more than the whole. What contains other steps and what only watches one is left
out: its time is told by them already.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mpms.domain.models.definitions import ModelStep
from mpms.services.processes.heat_map import ONLY_WAITING, TAKEN_BY_PEOPLE, StepHeat

MOST_TOLD = 3
LEAST_SHARE = 0.05
WATCHING = "boundaryEvent"
CALLING = "callActivity"
CONTAINING = frozenset({"subProcess", "transaction", "adHocSubProcess"})


class Spent(enum.Enum):
    """What the time at a step was spent for."""

    UNTAKEN = "until somebody took the form"
    FILLED_IN = "while people were at it"
    EVENT = "until something happened"
    CALLED = "in the process that it calls"
    WORK = "in the work itself"


@dataclass(frozen=True)
class Bottleneck:
    """A step and its share of the time."""

    element: str
    name: str
    lane: str | None
    spent: Spent
    share: float  # of the time of all steps
    each_s: float  # on average


def bottlenecks(
    heat: Iterable[StepHeat], steps: Sequence[ModelStep]
) -> Sequence[Bottleneck]:
    """The greatest shares first, none below LEAST_SHARE."""
    lanes = {step.id: step.lane for step in steps}
    parts = [(step, *part) for step in heat for part in _parts(step)]
    total_s = sum(each_s * step.visits for step, _, each_s in parts)
    if total_s <= 0:
        return []
    found = [
        Bottleneck(
            *(step.id, step.name, lanes.get(step.id), spent),
            share=each_s * step.visits / total_s,
            each_s=each_s,
        )
        for step, spent, each_s in parts
    ]
    found.sort(key=lambda one: (-one.share, one.element))
    return [one for one in found[:MOST_TOLD] if one.share >= LEAST_SHARE]


def _parts(step: StepHeat) -> list[tuple[Spent, float]]:
    """What the time of one visit was spent for, in seconds."""
    if step.duration_s is None or step.kind in CONTAINING or step.kind == WATCHING:
        return []
    if step.kind in TAKEN_BY_PEOPLE:
        untaken_s = min(step.waiting_s or 0.0, step.duration_s)
        filled_in_s = step.duration_s - untaken_s
        return [(Spent.UNTAKEN, untaken_s), (Spent.FILLED_IN, filled_in_s)]
    if step.kind == CALLING:
        return [(Spent.CALLED, step.duration_s)]
    waits = step.kind in ONLY_WAITING
    return [(Spent.EVENT if waits else Spent.WORK, step.duration_s)]
