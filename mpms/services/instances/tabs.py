"""What the tabs of an instance's page show, each by itself: nobody looks at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpms.domain.instances.instances import Instance
from mpms.domain.models.definitions import ModelStep
from mpms.domain.tasks import FormTask
from mpms.ports.engine import Engine
from mpms.ports.instances.cockpit import (
    AwaitedRow,
    IncidentRow,
    JobRow,
    Line,
    Relative,
    TimerRow,
    VariableChange,
)
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.page import name_in

LINES_A_PAGE = 60
CHANGES_READ = 2000
CHANGES_A_PAGE = 100

Elements = Mapping[str, ModelStep]


@dataclass(frozen=True)
class HistoryPage:
    """Lines of the history, the last first; ``below`` leads to the older ones."""

    lines: tuple[Line, ...]
    elements: Elements
    below: int | None

    def name_of(self, element: str | None) -> str:
        return name_in(self.elements, element)


@dataclass(frozen=True)
class VariableOnPage:
    """A variable, whose it is, and who changed it last."""

    name: str
    value: Any
    task_id: str | None = None  # a live task's own
    where: str = ""
    change: VariableChange | None = None


@dataclass(frozen=True)
class Work:
    """What the instance waits for besides people."""

    jobs: Sequence[JobRow]
    timers: Sequence[TimerRow]
    awaited: Sequence[AwaitedRow]
    incident_of: Mapping[str, int]  # task id -> an open incident that can be retried
    elements: Elements

    def name_of(self, element: str | None) -> str:
        return name_in(self.elements, element)


def show_history(
    uow: UnitOfWork,
    engine: Engine,
    instance_id: str,
    *,
    kinds: Sequence[str] | None,
    below: int | None = None,
) -> HistoryPage:
    """InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        rows = tx.cockpit_instance.lines(
            instance_id, kinds=kinds, below=below, limit=LINES_A_PAGE + 1
        )
        elements = _elements(tx, engine, instance)
    shown = rows[:LINES_A_PAGE]
    older = shown[-1].line if len(rows) > LINES_A_PAGE else None
    return HistoryPage(tuple(shown), elements, older)


def list_variables(
    uow: UnitOfWork, engine: Engine, instance_id: str
) -> tuple[VariableOnPage, ...]:
    """The instance's own by name, then those of its live tasks. InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        if instance.snapshot is None:
            return ()
        definition = tx.definitions.by_id(instance.definition_id)
        changes = tx.cockpit_instance.changes(instance_id, limit=CHANGES_READ)
    last: dict[tuple[str | None, str], VariableChange] = {}
    for change in changes:
        holder = change.task_id if change.local else None
        last.setdefault((holder, change.name), change)
    found = [
        VariableOnPage(name, value, change=last.get((None, name)))
        for name, value in sorted(instance.snapshot.variables.items())
    ]
    if instance.status.ended:
        return tuple(found)
    for token in engine.tokens(definition, instance.snapshot):
        found += [
            VariableOnPage(
                name,
                value,
                token.task_id,
                token.name or token.element,
                last.get((token.task_id, name)),
            )
            for name, value in sorted(token.local.items())
        ]
    return tuple(found)


def show_changes(
    uow: UnitOfWork, instance_id: str, name: str, *, below: int | None = None
) -> tuple[tuple[VariableChange, ...], int | None]:
    """Every value that a variable had, the last first. InstanceUnknown."""
    with uow() as tx:
        tx.instances.get(instance_id)
        found = tx.cockpit_instance.changes(
            instance_id, name=name, below=below, limit=CHANGES_A_PAGE
        )
    older = found[-1].line if len(found) == CHANGES_A_PAGE else None
    return tuple(found), older


def list_work(uow: UnitOfWork, engine: Engine, instance_id: str) -> Work:
    """InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        view = tx.cockpit_instance
        return Work(
            view.jobs(instance_id),
            view.timers(instance_id),
            view.awaited(instance_id),
            {
                str(incident.task_id): incident.id
                for incident in tx.incidents.listing(instance_id=instance_id)
                if incident.retryable
            },
            _elements(tx, engine, instance),
        )


def list_incidents(
    uow: UnitOfWork, engine: Engine, instance_id: str
) -> tuple[Sequence[IncidentRow], frozenset[int], Elements]:
    """All incidents, those that can be retried, the names. InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        rows = tx.cockpit_instance.incidents(instance_id)
        retryable = frozenset(
            incident.id
            for incident in tx.incidents.listing(instance_id=instance_id)
            if incident.retryable
        )
        return rows, retryable, _elements(tx, engine, instance)


def list_forms(uow: UnitOfWork, instance_id: str) -> Sequence[FormTask]:
    """InstanceUnknown."""
    with uow() as tx:
        tx.instances.get(instance_id)
        return tx.tasks.open(instance_id=instance_id)


def list_family(uow: UnitOfWork, instance_id: str) -> Sequence[Relative]:
    """InstanceUnknown."""
    with uow() as tx:
        tx.instances.get(instance_id)
        return tx.cockpit_instance.family(instance_id)


def _elements(tx: Transaction, engine: Engine, instance: Instance) -> Elements:
    definition = tx.definitions.by_id(instance.definition_id)
    return {step.id: step for step in engine.steps(definition)}
