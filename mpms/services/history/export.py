"""The history of a process for tools of process mining, however long it is.

Cases are read some at a time, each time in a transaction of its own: nothing waits for
a slow reader, and there is never more than a few of them in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from mpms.domain.errors import MpmsError, NotFound
from mpms.domain.history.cases import KINDS_READ, Case, case_of
from mpms.domain.history.ocel import as_ocel
from mpms.domain.history.xes import as_xes
from mpms.domain.models.definitions import ModelStep
from mpms.ports.engine import Engine
from mpms.ports.history.cases import CasePlace
from mpms.ports.store import Transaction, UnitOfWork

MOST_CASES = 50_000  # of a file
MOST_LINES = 20_000  # of a case; the file says of which it has not got all
AT_ONCE = 20
FORMATS = ("xes", "ocel")


class NoCases(NotFound):
    """No instance of the process began in this window."""


class TooManyCases(MpmsError):
    """More instances began in this window than one file may hold."""


class WindowTurned(MpmsError):
    """The window ends before it begins."""


def export_history(
    uow: UnitOfWork,
    engine: Engine,
    key: str,
    *,
    since: datetime,
    until: datetime,
    form: str,
) -> Iterator[str]:
    """Pieces of a file of one of the FORMATS; what is wrong is said before the first.

    ProcessUnknown, WindowTurned, NoCases, TooManyCases.
    """
    cases = read_cases(uow, engine, key, since=since, until=until)
    return as_xes(key, cases) if form == "xes" else as_ocel(cases)


def read_cases(
    uow: UnitOfWork,
    engine: Engine,
    key: str,
    *,
    since: datetime,
    until: datetime,
    most_cases: int = MOST_CASES,
) -> Iterator[Case]:
    """The oldest first. Refuses at once what ``export_history`` refuses."""
    window = f"from {since.isoformat()} until {until.isoformat()}"
    if since >= until:
        raise WindowTurned(f"The window {window} ends before it begins.")
    with uow() as tx:
        tx.definitions.latest(key)
        count = tx.cases.count(key, since=since, until=until, limit=most_cases + 1)
    if not count:
        raise NoCases(f"No instance of {key} began {window}.")
    if count > most_cases:
        raise TooManyCases(
            f"More than {most_cases:,} instances of {key} began {window};"
            " ask for a shorter window."
        )
    return _read(uow, engine, key, since, until)


def _read(
    uow: UnitOfWork, engine: Engine, key: str, since: datetime, until: datetime
) -> Iterator[Case]:
    above: CasePlace | None = None
    models: dict[int, Mapping[str, ModelStep]] = {}
    while True:
        with uow() as tx:
            heads = tx.cases.heads(
                key, since=since, until=until, above=above, limit=AT_ONCE
            )
            ids = [head.id for head in heads]
            lines = tx.cases.lines(ids, kinds=KINDS_READ, limit=MOST_LINES + 1)
            things = tx.cases.things(ids)
            for definition_id in {head.definition_id for head in heads} - models.keys():
                models[definition_id] = _model(tx, engine, definition_id)
        for head in heads:
            of_it = lines.get(head.id, ())
            yield case_of(
                head,
                of_it[:MOST_LINES],
                models[head.definition_id],
                things.get(head.id, ()),
                cut=len(of_it) > MOST_LINES,
            )
        if len(heads) < AT_ONCE:
            return
        above = (heads[-1].started_at, heads[-1].id)


def _model(
    tx: Transaction, engine: Engine, definition_id: int
) -> Mapping[str, ModelStep]:
    definition = tx.definitions.by_id(definition_id)
    return {step.id: step for step in engine.steps(definition)}
