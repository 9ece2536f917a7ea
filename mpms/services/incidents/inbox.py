"""The inbox of incidents: by cause, and one cause with everything about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpms.domain.errors import NotFound
from mpms.domain.people.people import Person
from mpms.ports.engine import Engine
from mpms.ports.incidents.inbox import (
    CauseComment,
    CauseFilter,
    CauseIncident,
    CauseRow,
)
from mpms.ports.store import Transaction, UnitOfWork

MOST_CAUSES = 100
PAGE = 50
SETTLED = 10
NAMED_AT_ONCE = 2_000


@dataclass(frozen=True)
class Names:
    """What processes, elements and people are called."""

    processes: Mapping[str, str]
    elements: Mapping[tuple[str, str], str]
    people: Mapping[str, str]

    def process(self, key: str | None) -> str:
        return self.processes.get(key or "", key or "")

    def element(self, process: str | None, element: str | None) -> str:
        return self.elements.get((process or "", element or ""), element or "")

    def person(self, login: str | None) -> str:
        return self.people.get(login or "", login or "")


@dataclass(frozen=True)
class InboxPage:
    """Causes that fit, and what the filters can be set to."""

    rows: Sequence[CauseRow]
    causes: int  # all that fit, shown or not
    incidents: int
    kinds: Sequence[str]
    processes: Sequence[str]  # empty: of no process
    elements: Sequence[tuple[str, str]]
    names: Names


@dataclass(frozen=True)
class CausePage:
    """One cause; without ``row`` nothing of it is open any more."""

    cause: str
    row: CauseRow | None
    incidents: Sequence[CauseIncident]
    after: int | None  # where the next page begins
    settled: Sequence[CauseIncident]
    comments: Sequence[CauseComment]
    leaders: Sequence[Person]
    names: Names

    @property
    def kind(self) -> str:
        return self.row.kind if self.row else self.settled[0].kind

    @property
    def message(self) -> str:
        return self.row.message if self.row else self.settled[0].message

    @property
    def closable(self) -> int:
        return 0 if self.row is None else self.row.incidents - self.row.retryable


def show_inbox(uow: UnitOfWork, engine: Engine, wanted: CauseFilter) -> InboxPage:
    with uow() as tx:
        tx.incidents.name_causes(NAMED_AT_ONCE)
        rows = tx.inbox.causes(wanted, limit=MOST_CAUSES)
        causes, incidents = tx.inbox.count(wanted)
        choices = tx.inbox.choices()
        places = {(process, element) for _, process, element in choices}
        return InboxPage(
            rows,
            causes,
            incidents,
            kinds=sorted({kind for kind, _, _ in choices}),
            processes=sorted({process for process, _ in places}),
            elements=sorted(place for place in places if place[1]),
            names=_names(tx, engine, {process for process, _ in places}),
        )


def show_cause(
    uow: UnitOfWork, engine: Engine, cause: str, *, after: int | None = None
) -> CausePage:
    """NotFound."""
    with uow() as tx:
        rows = tx.inbox.causes(CauseFilter(cause=cause), limit=1)
        found = tx.inbox.incidents(cause, after=after, limit=PAGE + 1)
        settled = tx.inbox.settled(cause, limit=SETTLED)
        if not rows and not settled:
            raise NotFound("There is no such cause.")
        shown = found[:PAGE]
        processes = {each.process or "" for each in (*shown, *settled)}
        processes |= set(rows[0].processes) if rows else set()
        return CausePage(
            cause,
            rows[0] if rows else None,
            shown,
            after=shown[-1].id if len(found) > PAGE else None,
            settled=settled,
            comments=tx.inbox.comments(cause),
            leaders=[p for p in tx.people.listing() if p.active and p.leads],
            names=_names(tx, engine, processes),
        )


def _names(tx: Transaction, engine: Engine, keys: set[str]) -> Names:
    processes: dict[str, str] = {}
    elements: dict[tuple[str, str], str] = {}
    for definition in tx.definitions.listing():
        processes[definition.key] = definition.name or definition.key
        if definition.key in keys:
            for step in engine.steps(definition):
                name = " ".join(step.name.split())
                elements[definition.key, step.id] = name or step.id
    people = {person.login: person.name for person in tx.people.listing()}
    return Names(processes, elements, people)
