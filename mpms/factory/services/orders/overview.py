"""Where every order is: what it waits for now, how far it is, whether it is late.

A page costs the same few statements however many orders it shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from mpms.factory.domain.decisions import DECISION_FORM, asks_for_decision
from mpms.factory.domain.errors import OrderUnknown
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.orders.views import (
    OrderCounts,
    OrderFilter,
    OrderPlace,
    OrderRow,
    OrderSort,
    WaitRow,
)
from mpms.factory.ports.store import Transaction, UnitOfWork

PAGE = 50
CAP = 1000
USUAL_FROM_ORDERS = 20
FREE_ROBOT_TOPIC = "robot.assign"
DRIVE_TOPIC = "robot.move"
# What a reader must know first.
_RANKS = (
    *("release", "incident", "decision", "form", "drive", "drive soon"),
    *("free robot", "free place", "job again", "job"),
    *("report", "event", "timer", "turn", "system"),
)


@dataclass(frozen=True)
class Waiting:
    """One thing that an order waits for; ``kind`` is one of ``_RANKS``."""

    kind: str
    row: WaitRow | None = None


@dataclass(frozen=True)
class Progress:
    """How much of the raw materials is loaded."""

    loaded: int
    lines: int
    loaded_kg: float
    required_kg: float


@dataclass(frozen=True)
class Lateness:
    """``late``: due before today. ``was late``: ended after its day. ``today``: due
    today. ``expected``: at its usual pace it ends after its day."""

    kind: str
    days: int = 0


@dataclass(frozen=True)
class OrderInList:
    """One order and everything the list says about it."""

    row: OrderRow
    waits: tuple[Waiting, ...]
    progress: Progress
    lateness: Lateness | None
    expected_end_at: datetime | None

    @property
    def is_late(self) -> bool:
        return self.lateness is not None and self.lateness.kind == "late"

    @property
    def is_stuck(self) -> bool:
        return any(w.kind in ("incident", "decision") for w in self.waits)


@dataclass(frozen=True)
class Overview:
    """One page of the list."""

    orders: tuple[OrderInList, ...]
    below: OrderPlace | None  # where the next page begins
    counts: OrderCounts
    found: int | None  # of a search; CAP + 1 means more than CAP
    cap: int = CAP
    more: bool = False  # a sorted list goes on below


def list_orders(
    uow: UnitOfWork,
    wanted: OrderFilter,
    *,
    now: datetime,
    below: OrderPlace | None = None,
    sort: OrderSort | None = None,
    limit: int = PAGE,
) -> Overview:
    """The newest orders that fit, or the first by ``sort``, with the counts that the
    filters show."""
    with uow() as tx:
        if sort is None:
            rows = tx.order_views.page(
                wanted, below=below, limit=limit + 1, decision_form=DECISION_FORM
            )
        else:
            rows = tx.order_views.sorted(
                wanted, sort, limit=limit + 1, decision_form=DECISION_FORM
            )
        shown, more = rows[:limit], len(rows) > limit
        return Overview(
            orders=_described(tx, shown, now),
            below=shown[-1].place if more and sort is None else None,
            more=more and sort is not None,
            counts=tx.order_views.counts(
                today=day_of(now), cap=CAP, decision_form=DECISION_FORM
            ),
            found=_found(
                tx,
                wanted,
                rows,
                whole=below is None and not (sort and sort.skip) and not more,
            ),
        )


def _found(
    tx: Transaction, wanted: OrderFilter, rows: Sequence[OrderRow], *, whole: bool
) -> int | None:
    """How many a search finds; a first page with room left says it by itself."""
    if not wanted.text:
        return None
    return len(rows) if whole else tx.order_views.found(wanted, cap=CAP)


def find_order(tx: Transaction, number: str, *, now: datetime) -> OrderInList:
    """One order as the list shows it. OrderUnknown."""
    wanted = OrderFilter(number=number)
    rows = tx.order_views.page(wanted, limit=1, decision_form=DECISION_FORM)
    if not rows:
        raise OrderUnknown(f"There is no order {number}.")
    return _described(tx, rows, now)[0]


def _described(
    tx: Transaction, rows: Sequence[OrderRow], now: datetime
) -> tuple[OrderInList, ...]:
    running = [r.instance_id for r in rows if r.instance_id and not r.status.ended]
    waits: dict[str, list[WaitRow]] = {}
    for wait in tx.order_views.waits(running):
        waits.setdefault(wait.instance_id, []).append(wait)
    usual_s = None
    if any(r.started_at and not r.status.ended for r in rows):
        usual_s = tx.order_views.usual_s(USUAL_FROM_ORDERS)
    return tuple(
        _describe(row, waits.get(row.instance_id or "", []), usual_s, now)
        for row in rows
    )


def _describe(
    row: OrderRow, waits: Sequence[WaitRow], usual_s: float | None, now: datetime
) -> OrderInList:
    expected = None
    if row.started_at is not None and not row.status.ended and usual_s is not None:
        expected = row.started_at + timedelta(seconds=usual_s)
    return OrderInList(
        row=row,
        waits=what_it_waits_for(row.status, waits),
        progress=_progress(row),
        lateness=_lateness(row, expected, now),
        expected_end_at=expected,
    )


def what_it_waits_for(
    status: OrderStatus, rows: Iterable[WaitRow]
) -> tuple[Waiting, ...]:
    """The most important first; one line for one thing that is waited for."""
    if status is OrderStatus.WAITING:
        return (Waiting("release"),)
    if status.ended:
        return ()
    found = sorted((_waiting(row) for row in rows), key=_importance)
    told: set[str] = set()
    kept: list[Waiting] = []
    for waiting in found:
        row = waiting.row
        assert row is not None  # noqa: S101
        if waiting.kind == "timer" and kept:
            continue  # it only watches over what is waited for
        if row.task_id is not None and row.task_id in told:
            continue  # an incident or a drive says more than its job
        told.add(row.task_id or "")
        kept.append(waiting)
    if kept:
        return tuple(kept)
    return (Waiting("turn" if status is OrderStatus.NEW else "system"),)


def _importance(waiting: Waiting) -> tuple[int, datetime]:
    assert waiting.row is not None  # noqa: S101
    return _RANKS.index(waiting.kind), waiting.row.since_at


def _waiting(row: WaitRow) -> Waiting:
    kind = row.kind
    if kind == "form" and asks_for_decision(row.what):
        kind = "decision"
    elif kind == "drive" and row.what == "new":
        kind = "drive soon"
    elif kind == "job":
        kind = _kind_of_job(row)
    return Waiting(kind, row)


def _kind_of_job(row: WaitRow) -> str:
    if row.what == "handed_on":
        return "report"
    if row.name == FREE_ROBOT_TOPIC and not row.attempts:
        return "free robot"
    if row.name == DRIVE_TOPIC and row.detail and not row.attempts:
        return "free place"
    return "job again" if row.attempts else "job"


def day_of(at: datetime) -> date:
    """The day on the plant's own calendar; due dates are written in it."""
    return at.astimezone().date()


def _lateness(
    row: OrderRow, expected: datetime | None, now: datetime
) -> Lateness | None:
    if row.due is None or row.status is OrderStatus.CANCELLED:
        return None
    if row.status.ended:
        days = (day_of(row.ended_at) - row.due).days if row.ended_at else 0
        return Lateness("was late", days) if days > 0 else None
    days = (day_of(now) - row.due).days
    if days > 0:
        return Lateness("late", days)
    if expected is not None and day_of(max(expected, now)) > row.due:
        return Lateness("expected")
    return Lateness("today") if days == 0 else None


def _progress(row: OrderRow) -> Progress:
    loads = loads_in(row.loaded)
    loaded, loaded_kg = len(loads), sum(load.loaded_kg or 0.0 for load in loads)
    if row.measured_lines > loaded:
        loaded, loaded_kg = row.measured_lines, float(row.measured_kg)
    return Progress(
        min(loaded, row.lines), row.lines, loaded_kg, float(row.required_kg)
    )


@dataclass(frozen=True)
class Load:
    """What the process noted of one raw material."""

    code: str
    loaded_kg: float | None
    lot: str | None


def loads_in(loaded: Any) -> list[Load]:
    """Read the process's own list; a model may keep anything in it."""
    if not isinstance(loaded, list):
        return []
    return [
        Load(
            str(entry.get("code") or ""),
            _number(entry.get("loaded_kg")),
            None if entry.get("lot") in (None, "") else str(entry["lot"]),
        )
        for entry in loaded
        if isinstance(entry, dict)
    ]


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None
