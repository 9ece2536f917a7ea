"""The history of a process for tools of process mining, however long it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mpms.domain.history.cases import KINDS_READ, Case, case_of
from mpms.domain.history.ocel import as_ocel
from mpms.domain.history.xes import as_xes
from mpms.domain.models.definitions import ModelStep
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.history.window import Window, heads_in, require_cases

MOST_CASES = 50_000  # of a file
MOST_LINES = 20_000  # of a case; the file says of which it has not got all
AT_ONCE = 20  # whose lines are in memory
HEADS_AT_ONCE = 500  # each look for the next ones passes those before
FORMATS = ("xes", "ocel")

Model = Mapping[str, ModelStep]


def export_history(
    uow: UnitOfWork, engine: Engine, window: Window, *, form: str
) -> Iterator[str]:
    """Pieces of a file of one of the FORMATS; what is wrong is said before the first.

    ProcessUnknown, WindowTurned, NoCases, TooManyCases.
    """
    cases = read_cases(uow, engine, window)
    return as_xes(window.key, cases) if form == "xes" else as_ocel(cases)


def read_cases(
    uow: UnitOfWork, engine: Engine, window: Window, *, most_cases: int = MOST_CASES
) -> Iterator[Case]:
    """The oldest first. Refuses at once what ``export_history`` refuses."""
    require_cases(uow, window, most=most_cases)
    return _read(uow, engine, window)


def _read(uow: UnitOfWork, engine: Engine, window: Window) -> Iterator[Case]:
    models: dict[int, Model] = {}
    every = (
        found[first : first + AT_ONCE]
        for found in heads_in(uow, window, at_once=HEADS_AT_ONCE)
        for first in range(0, len(found), AT_ONCE)
    )
    for heads in every:
        ids = [head.id for head in heads]
        with uow() as tx:
            lines = tx.cases.lines(ids, kinds=KINDS_READ, limit=MOST_LINES + 1)
            things = tx.cases.things(ids)
            for definition_id in {head.definition_id for head in heads} - models.keys():
                models[definition_id] = model_of(tx, engine, definition_id)
        for head in heads:
            of_it = lines.get(head.id, ())
            yield case_of(
                head,
                of_it[:MOST_LINES],
                models[head.definition_id],
                things.get(head.id, ()),
                cut=len(of_it) > MOST_LINES,
            )


def model_of(tx: Transaction, engine: Engine, definition_id: int) -> Model:
    definition = tx.definitions.by_id(definition_id)
    return {step.id: step for step in engine.steps(definition)}
