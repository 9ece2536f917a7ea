"""One instance as a supervisor sees it: where it stands and the way it came."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import LiveToken
from mpms.domain.models.definitions import Definition, ModelStep
from mpms.ports.engine import Engine
from mpms.ports.instances.cockpit import IncidentRow, JobRow, TimerRow, WayPart
from mpms.ports.store import Transaction, UnitOfWork

ACTIVITIES = frozenset(
    {
        *("task", "userTask", "serviceTask", "scriptTask", "businessRuleTask"),
        *("sendTask", "receiveTask", "manualTask", "callActivity"),
        *("subProcess", "transaction", "adHocSubProcess"),
    }
)
UNREACHABLE = frozenset({"boundaryEvent"})
"""Kinds that no token can be put on."""


@dataclass(frozen=True)
class Details:
    """What plug-ins know of an instance: what it works for and with, by their names."""

    known: Mapping[str, str] = field(default_factory=dict)
    of_task: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # just now


InstanceDetails = Callable[[Any, str], Details]  # transaction, instance id


def no_details(tx: Any, instance_id: str) -> Details:
    return Details()


@dataclass(frozen=True)
class TokenOnPage:
    """A live token with what an operator may want to know of it."""

    token: LiveToken
    name: str
    depth: int  # scopes around it
    due_at: datetime | None = None
    known: Mapping[str, str] = field(default_factory=dict)  # by plug-ins
    job: JobRow | None = None
    form: bool = False
    incident: IncidentRow | None = None
    child: str | None = None  # the instance that it called

    @property
    def watches(self) -> bool:
        return self.token.state == "watching"


@dataclass(frozen=True)
class StepOnWay:
    """An element that tokens have passed."""

    element: str
    name: str
    kind: str
    times: int
    last_at: datetime
    cancelled: bool  # every token that came was taken away


@dataclass(frozen=True)
class InstancePage:
    """Everything that changes while somebody looks."""

    instance: Instance
    definition: Definition
    latest_version: int
    elements: Mapping[str, ModelStep]
    tokens: tuple[TokenOnPage, ...]
    done: tuple[StepOnWay, ...]
    to_come: tuple[ModelStep, ...]
    incidents: tuple[IncidentRow, ...]  # open ones
    way: Sequence[WayPart]
    timers: Sequence[TimerRow]
    known: Mapping[str, str]  # by plug-ins

    @property
    def ended(self) -> bool:
        return self.instance.status.ended

    def name_of(self, element: str | None) -> str:
        return name_in(self.elements, element)


def name_in(elements: Mapping[str, ModelStep], element: str | None) -> str:
    step = elements.get(element or "")
    return (element or "") if step is None else step.name or step.id


def show_instance_page(
    uow: UnitOfWork,
    engine: Engine,
    instance_id: str,
    details: InstanceDetails = no_details,
) -> InstancePage:
    """InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        definition = tx.definitions.by_id(instance.definition_id)
        latest = tx.definitions.latest(instance.key).version
        known = details(tx, instance_id)
        view = tx.cockpit_instance
        way, timers = view.way(instance_id), view.timers(instance_id)
        incidents = [i for i in view.incidents(instance_id) if i.resolved_at is None]
        elements = {step.id: step for step in engine.steps(definition)}
        live_tokens = _live(engine, instance, definition)
        calls = any(_kind(elements, t.element) == "callActivity" for t in live_tokens)
        tokens = _tokens(
            tx, instance_id, live_tokens, timers, incidents, known, calls=calls
        )
    live = {token.token.element for token in tokens if not token.watches}
    done = _done(way, elements, live)
    seen = {part.element for part in way} | live
    return InstancePage(
        instance=instance,
        definition=definition,
        latest_version=latest,
        elements=elements,
        tokens=tokens,
        done=done,
        to_come=tuple(
            step
            for step in elements.values()
            if step.id not in seen and step.kind in ACTIVITIES
        ),
        incidents=tuple(incidents),
        way=way,
        timers=timers,
        known=known.known,
    )


def _live(
    engine: Engine, instance: Instance, definition: Definition
) -> Sequence[LiveToken]:
    if instance.snapshot is None or instance.status.ended:
        return ()
    return engine.tokens(definition, instance.snapshot)


def _kind(elements: Mapping[str, ModelStep], element: str) -> str:
    step = elements.get(element)
    return "" if step is None else step.kind


def _tokens(
    tx: Transaction,
    instance_id: str,
    found: Sequence[LiveToken],
    timers: Sequence[TimerRow],
    incidents: Sequence[IncidentRow],
    known: Details,
    *,
    calls: bool,
) -> tuple[TokenOnPage, ...]:
    if not found:
        return ()
    dues = {row.task_id: row.due_at for row in timers}
    jobs = {row.task_id: row for row in tx.cockpit_instance.jobs(instance_id)}
    forms = {task.task_id for task in tx.tasks.open(instance_id=instance_id)}
    stuck = {row.task_id: row for row in reversed(incidents)}
    family = tx.cockpit_instance.family(instance_id) if calls else ()
    children = {one.parent_task: one.id for one in family if one.relation == "called"}
    depths: dict[str, int] = {}
    shown = []
    for token in found:
        depth = 0 if token.inside is None else depths.get(token.inside, -1) + 1
        depths[token.task_id] = depth
        shown.append(
            TokenOnPage(
                token,
                token.name or token.element,
                depth,
                dues.get(token.task_id),
                known.of_task.get(token.task_id, {}),
                jobs.get(token.task_id),
                token.task_id in forms,
                stuck.get(token.task_id),
                children.get(token.task_id),
            )
        )
    return tuple(shown)


def _done(
    way: Sequence[WayPart], elements: Mapping[str, ModelStep], live: set[str]
) -> tuple[StepOnWay, ...]:
    left: dict[str, list[WayPart]] = {}
    for part in way:
        if part.kind in ("left", "cancelled") and part.element not in live:
            left.setdefault(part.element, []).append(part)
    done = [
        StepOnWay(
            element,
            name_in(elements, element),
            step.kind,
            sum(part.times for part in parts),
            max(part.last_at for part in parts),
            all(part.kind == "cancelled" for part in parts),
        )
        for element, parts in left.items()
        if (step := elements.get(element)) is not None
        and (step.kind in ACTIVITIES or (step.name and not _watched(step, parts)))
    ]
    return tuple(sorted(done, key=lambda step: (step.last_at, step.element)))


def _watched(step: ModelStep, parts: Sequence[WayPart]) -> bool:
    """An event around an activity that never came."""
    return step.kind in UNREACHABLE and all(p.kind == "cancelled" for p in parts)
