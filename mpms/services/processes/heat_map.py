"""Where time goes in a process: how often tokens came, how long they stayed and waited.

Levels are those of a heat map: 0 is nothing, 5 is the hottest. They grow with the
square root of the share, because the slowest step is often a hundred times slower than
the others and would leave them all pale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from mpms.domain.models.definitions import ModelStep
from mpms.ports.instances.rows import InstanceFilter
from mpms.ports.processes.cockpit import Heat, Standing
from mpms.ports.store import UnitOfWork

LEVELS = 5
MOST_FOUND = 1_000  # instances whose history is read for one picture
MEASURES = ("count", "duration", "waiting")
# A form waits until somebody takes it; these do nothing but wait; others never wait.
TAKEN_BY_PEOPLE = frozenset({"userTask"})
ONLY_WAITING = frozenset(
    {"intermediateCatchEvent", "boundaryEvent", "receiveTask", "callActivity"}
)


@dataclass(frozen=True)
class StepHeat:
    """One element: what stands there now and what happened there."""

    id: str
    name: str
    kind: str
    tokens: int
    stuck: int
    since: datetime | None  # the oldest token
    visits: int
    cancelled: int
    duration_s: float | None  # on average; None: no visit
    waiting_s: float | None
    longest_s: float | None
    levels: Mapping[str, int]

    @property
    def is_idle(self) -> bool:
        return not self.visits and not self.tokens


@dataclass(frozen=True)
class HeatMap:
    """All elements in the order of the model, and the most of each measure."""

    steps: Sequence[StepHeat]
    most: Mapping[str, float]
    instances: int | None = None  # whose history was read; None: all were counted

    def above(self, measure: str) -> list[float]:
        """From which value each level begins."""
        most = self.most[measure]
        return [most * ((n - 1) / LEVELS) ** 2 for n in range(1, LEVELS + 1)]


def heat_map(
    uow: UnitOfWork,
    key: str,
    steps: Sequence[ModelStep],
    *,
    definition_id: int | None,
    since: datetime,
    until: datetime,
    only: InstanceFilter | None = None,
) -> HeatMap:
    """What tokens did between two instants, by whole hours, and where they are now.

    With ``only`` of the instances that fit, the last changed first, up to MOST_FOUND.
    """
    ids: list[str] | None = None
    with uow() as tx:
        if only is None:
            heat = tx.cockpit.heat(
                key, definition_id=definition_id, since=since, until=until
            )
        else:
            found = tx.cockpit.instances(only, below=None, limit=MOST_FOUND)
            ids = [row.id for row in found]
            heat = tx.cockpit.heat_of(ids, since=since, until=until)
        standing = tx.cockpit.standing(
            key, definition_id=definition_id, instance_ids=ids
        )
    done = {row.element: row for row in heat}
    now = {row.element: row for row in standing}
    known = {step.id for step in steps}
    gone = sorted((done.keys() | now.keys()) - known)  # only in other versions
    every = [*steps, *(ModelStep(element, "", "", None) for element in gone)]
    figures = {step.id: _figures(step, done.get(step.id)) for step in every}
    most = {
        measure: max((figure[measure] for figure in figures.values()), default=0.0)
        for measure in MEASURES
    }
    shown = [
        _step(step, done.get(step.id), now.get(step.id), figures[step.id], most)
        for step in every
        if step.id in done or step.id in now or step.is_activity
    ]
    return HeatMap(shown, MappingProxyType(most), None if ids is None else len(ids))


def waiting_s(kind: str, heat: Heat) -> float:
    """How long all visits together waited for somebody or something."""
    if kind in TAKEN_BY_PEOPLE:
        return heat.waited_s
    return heat.seconds if kind in ONLY_WAITING else 0.0


def level(value: float, most: float) -> int:
    if value <= 0 or most <= 0:
        return 0
    return min(LEVELS, 1 + math.floor(LEVELS * math.sqrt(value / most)))


def _figures(step: ModelStep, heat: Heat | None) -> dict[str, float]:
    if heat is None or not heat.visits:
        return dict.fromkeys(MEASURES, 0.0)
    return {
        "count": float(heat.visits),
        "duration": heat.seconds / heat.visits,
        "waiting": waiting_s(step.kind, heat) / heat.visits,
    }


def _step(
    step: ModelStep,
    heat: Heat | None,
    now: Standing | None,
    figures: Mapping[str, float],
    most: Mapping[str, float],
) -> StepHeat:
    return StepHeat(
        step.id,
        step.title,
        step.kind,
        now.tokens if now else 0,
        now.stuck if now else 0,
        now.since if now else None,
        heat.visits if heat else 0,
        heat.cancelled if heat else 0,
        figures["duration"] if heat else None,
        figures["waiting"] if heat else None,
        heat.longest_s if heat else None,
        {measure: level(figures[measure], most[measure]) for measure in MEASURES},
    )
