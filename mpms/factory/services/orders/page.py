"""Everything about one order: materials, times, steps, drives, incidents, photos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.errors import NotFound
from mpms.domain.models.definitions import ModelStep
from mpms.factory.domain.mixing import TankRun
from mpms.factory.ports.orders.views import (
    AttachmentRow,
    DriveRow,
    HistoryRow,
    IncidentRow,
    LineRow,
    MailRow,
    RunRow,
    StepRow,
)
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.orders.overview import (
    USUAL_FROM_ORDERS,
    Load,
    OrderInList,
    find_order,
    loads_in,
)
from mpms.ports.engine import Engine
from mpms.ports.tasks.attachments import Attachment

HISTORY_PAGE = 100
MOST_ROWS = 500
# Steps of the engine that mean nothing to people, and what other lines say better.
HIDDEN = (
    *("entered", "left", "thrown", "caught", "decided", "mail accepted"),
    *("instance started", "cancelled", "moved", "skipped", "robot state"),
)
SHOWN_VARIABLES = ("measured_kg",)
TIMED_KINDS = frozenset(
    {"userTask", "serviceTask", "scriptTask", "businessRuleTask", "callActivity"}
)


@dataclass(frozen=True)
class LineOnPage:
    """A raw material: what was asked for and what was loaded."""

    code: str
    name: str
    required_kg: float
    wanted_lot: str | None
    loaded_kg: float | None
    lot: str | None
    is_loaded: bool

    @property
    def difference_kg(self) -> float | None:
        if self.loaded_kg is None:
            return None
        return round(self.loaded_kg - self.required_kg, 3)


@dataclass(frozen=True)
class StepOnPage:
    """An element of the model and how long it took."""

    name: str
    lane: str | None
    row: StepRow


@dataclass(frozen=True)
class HistoryLine:
    """One line of the history with the name of its element."""

    row: HistoryRow
    step: str | None


@dataclass(frozen=True)
class Timeline:
    """The newest lines first; ``before`` leads to the earlier ones."""

    lines: tuple[HistoryLine, ...]
    before: int | None


@dataclass(frozen=True)
class OrderPage:
    """One order."""

    order: OrderInList
    usual_s: float | None
    lines: tuple[LineOnPage, ...]
    steps: tuple[StepOnPage, ...]
    drives: Sequence[DriveRow]
    incidents: tuple[tuple[IncidentRow, str | None], ...]
    attachments: tuple[tuple[AttachmentRow, str | None], ...]
    timeline: Timeline
    mail: MailRow | None
    has_record: bool
    tanks: Sequence[TankRun]


def show_order(
    uow: UnitOfWork, engine: Engine, number: str, *, now: datetime
) -> OrderPage:
    """OrderUnknown."""
    with uow() as tx:
        order = find_order(tx, number, now=now)
        runs = _runs(tx, order)
        ids = [run.instance_id for run in runs]
        names = _names(tx, engine, runs)
        timed = {key: s for key, s in names.items() if s.kind in TIMED_KINDS}
        views = tx.order_views
        return OrderPage(
            order=order,
            usual_s=views.usual_s(USUAL_FROM_ORDERS),
            lines=_lines(views.lines(number), runs[0].loaded if runs else None),
            steps=tuple(
                StepOnPage(step.name or step.id, step.lane, row)
                for row in views.steps(ids, sorted({e for _, e in timed}))
                if (step := timed.get((row.instance_id, row.element))) is not None
            ),
            drives=views.drives(ids, limit=MOST_ROWS),
            incidents=tuple(
                (row, _name(names, row.instance_id, row.element))
                for row in views.incidents(ids, limit=MOST_ROWS)
            ),
            attachments=tuple(
                (row, _name(names, row.instance_id, row.element))
                for row in views.attachments(ids, limit=MOST_ROWS)
            ),
            timeline=_timeline(tx, number, ids, names, None),
            mail=views.mail(number),
            has_record=tx.records.head(number).lines > 0,
            tanks=tx.tanks.of_order(number),
        )


def show_timeline(
    uow: UnitOfWork,
    engine: Engine,
    number: str,
    *,
    now: datetime,
    before: int | None = None,
) -> Timeline:
    """The history of one order, a page of it. OrderUnknown."""
    with uow() as tx:
        runs = _runs(tx, find_order(tx, number, now=now))
        ids = [run.instance_id for run in runs]
        return _timeline(tx, number, ids, _names(tx, engine, runs), before)


def open_attachment(uow: UnitOfWork, number: str, attachment_id: str) -> Attachment:
    """A photo or signature of this very order. OrderUnknown, NotFound."""
    with uow() as tx:
        order = tx.orders.get(number)
        attachment = tx.attachments.get(attachment_id)
        runs = tx.order_views.runs(order.instance_id) if order.instance_id else ()
        mine = {run.instance_id for run in runs}
        if attachment is None or attachment.instance_id not in mine:
            raise NotFound(f"Order {number} has no such attachment.")
        return attachment


def _runs(tx: Transaction, order: OrderInList) -> Sequence[RunRow]:
    instance_id = order.row.instance_id
    return () if instance_id is None else tx.order_views.runs(instance_id)


Names = dict[tuple[str, str], ModelStep]


def _names(tx: Transaction, engine: Engine, runs: Sequence[RunRow]) -> Names:
    return {
        (run.instance_id, step.id): step
        for run in runs
        for step in engine.steps(tx.definitions.by_id(run.definition_id))
    }


def _name(names: Names, instance_id: str | None, element: str | None) -> str | None:
    step = names.get((instance_id or "", element or ""))
    return element if step is None else step.name or step.id


def _timeline(
    tx: Transaction, number: str, ids: list[str], names: Names, before: int | None
) -> Timeline:
    rows = tx.order_views.history(
        number,
        ids,
        hidden=HIDDEN,
        variables=SHOWN_VARIABLES,
        before=before,
        limit=HISTORY_PAGE + 1,
    )
    shown = rows[:HISTORY_PAGE]
    return Timeline(
        tuple(
            HistoryLine(row, _name(names, row.instance_id, row.element))
            for row in shown
        ),
        shown[-1].id if len(rows) > HISTORY_PAGE else None,
    )


def _lines(rows: Sequence[LineRow], loaded: object) -> tuple[LineOnPage, ...]:
    loads = loads_in(loaded)
    return tuple(_line(row, _take(loads, row.material)) for row in rows)


def _take(loads: list[Load], code: str) -> Load | None:
    """The first load of this material that no other line has."""
    for place, load in enumerate(loads):
        if load.code == code:
            return loads.pop(place)
    return None


def _line(row: LineRow, load: Load | None) -> LineOnPage:
    loaded_kg = load.loaded_kg if load else None
    if row.measured_kg is not None:
        loaded_kg = float(row.measured_kg)
    return LineOnPage(
        code=row.material,
        name=row.name,
        required_kg=float(row.required_kg),
        wanted_lot=row.lot,
        loaded_kg=loaded_kg,
        lot=row.loaded_lot or (load.lot if load else None),
        is_loaded=load is not None or row.measured_kg is not None,
    )
