"""The plant in figures: orders, lead times, waiting, robots and incidents by the day.

A day is the plant's own. Lead times lie in buckets of ten per cent, so a median is
right to about five per cent; that is less than it differs from one day to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TypeVar

from mpms.domain.models.definitions import ModelStep
from mpms.factory.ports.figures import LEAD_STEP, IncidentCount, LeadCount, OrderHour
from mpms.factory.ports.robots.tracks import Spent
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.ports.engine import Engine
from mpms.ports.processes.cockpit import TrendHour
from mpms.services.processes.heat_map import TAKEN_BY_PEOPLE, waiting_s

MEDIAN, MOST = 0.5, 0.9
ELEMENTS = 12
CAUSES = 12
Row = TypeVar("Row", OrderHour, TrendHour, LeadCount, IncidentCount)


@dataclass(frozen=True)
class Day:
    """What one day brought; a lead time is None where nothing was completed."""

    day: date
    received: int = 0
    done: int = 0
    cancelled: int = 0
    started: int = 0
    completed: int = 0
    median_s: float | None = None
    p90_s: float | None = None
    incidents: int = 0


@dataclass(frozen=True)
class Totals:
    """A whole window."""

    received: int
    done: int
    cancelled: int
    started: int
    completed: int
    median_s: float | None
    p90_s: float | None
    incidents: int
    driving: float | None  # share of the time in which robots were seen


@dataclass(frozen=True)
class WaitingAt:
    """An element where tokens waited for people or events."""

    key: str
    process: str
    element: str
    name: str
    visits: int
    waited_s: float

    @property
    def each_s(self) -> float:
        return self.waited_s / self.visits


@dataclass(frozen=True)
class Cause:
    """Incidents of one cause."""

    kind: str
    message: str
    opened: int
    still_open: int


@dataclass(frozen=True)
class FiguresPage:
    since: datetime
    until: datetime
    days: tuple[Day, ...]
    total: Totals
    before: Totals  # the window of the same length before
    waiting: tuple[WaitingAt, ...]
    robots: tuple[Spent, ...]
    causes: tuple[Cause, ...]
    processes: Mapping[str, str]  # key -> name, to choose from


def show_figures(
    uow: UnitOfWork,
    engine: Engine,
    *,
    since: datetime,
    until: datetime,
    key: str | None = None,
) -> FiguresPage:
    """``key``: one process; orders and robots are those of the whole plant."""
    length = until - since
    with uow() as tx:
        orders = tx.figures.orders(since - length, until)
        trend = tx.figures.processes(since - length, until, key)
        starts = [since - length, *_day_starts(since, until)]
        leads = tx.figures.lead_times(starts, until, key)
        incidents = tx.figures.incidents(since - length, until, key)
        robots = tx.figures.robots(since, until)
        robots_before = tx.figures.robots(since - length, since)
        known = {row.key: row.name or row.key for row in tx.cockpit.processes()}
        asked = [key] if key in known else [] if key else list(known)
        waiting = [
            found
            for one in asked
            for found in _waiting(tx, engine, one, known[one], since, until)
        ]
    days = _days(since, until, orders, trend, leads, incidents)
    waiting.sort(key=lambda row: (-row.waited_s, row.key, row.element))
    return FiguresPage(
        since=since,
        until=until,
        days=days,
        total=_totals(since, until, orders, trend, leads, incidents, robots),
        before=_totals(
            since - length, since, orders, trend, leads, incidents, robots_before
        ),
        waiting=tuple(waiting[:ELEMENTS]),
        robots=tuple(robots),
        causes=_causes([row for row in incidents if row.hour >= since]),
        processes=known,
    )


def share_of(counts: Mapping[int, int], share: float) -> float | None:
    """The time that this share of all did not exceed; None of nothing."""
    wanted = share * sum(counts.values())
    if not wanted:
        return None
    passed = 0
    for bucket in sorted(counts):
        if passed + counts[bucket] >= wanted:
            inside = (wanted - passed) / counts[bucket]
            return float(LEAD_STEP ** (bucket + inside))
        passed += counts[bucket]
    return None


def day_in_plant(at: datetime) -> date:
    return at.astimezone().date()


def _day_starts(since: datetime, until: datetime) -> list[datetime]:
    """The window's beginning and every midnight of the plant in it."""
    first, last = day_in_plant(since), day_in_plant(until - timedelta(seconds=1))
    days = [first + timedelta(days=n) for n in range(1, (last - first).days + 1)]
    return [since, *(datetime.combine(day, time()).astimezone() for day in days)]


def _days(
    since: datetime,
    until: datetime,
    orders: Sequence[OrderHour],
    trend: Sequence[TrendHour],
    leads: Sequence[LeadCount],
    incidents: Sequence[IncidentCount],
) -> tuple[Day, ...]:
    first, last = day_in_plant(since), day_in_plant(until - timedelta(seconds=1))
    came = _by_day(orders)
    ran = _by_day(trend)
    took = _by_day(leads)
    broke = _by_day(incidents)
    found = []
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        buckets = _buckets(took.get(day, ()))
        found.append(
            Day(
                day,
                sum(row.received for row in came.get(day, ())),
                sum(row.done for row in came.get(day, ())),
                sum(row.cancelled for row in came.get(day, ())),
                sum(row.started for row in ran.get(day, ())),
                sum(row.completed for row in ran.get(day, ())),
                share_of(buckets, MEDIAN),
                share_of(buckets, MOST),
                sum(row.opened for row in broke.get(day, ())),
            )
        )
    return tuple(found)


def _by_day(rows: Iterable[Row]) -> dict[date, list[Row]]:
    days: dict[date, list[Row]] = {}
    for row in rows:
        days.setdefault(day_in_plant(row.hour), []).append(row)
    return days


def _buckets(rows: Iterable[LeadCount]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for row in rows:
        counts[row.bucket] += row.instances
    return counts


def _totals(
    since: datetime,
    until: datetime,
    orders: Sequence[OrderHour],
    trend: Sequence[TrendHour],
    leads: Sequence[LeadCount],
    incidents: Sequence[IncidentCount],
    robots: Sequence[Spent],
) -> Totals:
    came = [row for row in orders if since <= row.hour < until]
    ran = [row for row in trend if since <= row.hour < until]
    buckets = _buckets(row for row in leads if since <= row.hour < until)
    seen_s = sum(row.seen_s for row in robots)
    return Totals(
        received=sum(row.received for row in came),
        done=sum(row.done for row in came),
        cancelled=sum(row.cancelled for row in came),
        started=sum(row.started for row in ran),
        completed=sum(row.completed for row in ran),
        median_s=share_of(buckets, MEDIAN),
        p90_s=share_of(buckets, MOST),
        incidents=sum(row.opened for row in incidents if since <= row.hour < until),
        driving=sum(row.driving_s for row in robots) / seen_s if seen_s else None,
    )


def _waiting(
    tx: Transaction,
    engine: Engine,
    key: str,
    process: str,
    since: datetime,
    until: datetime,
) -> list[WaitingAt]:
    rows = tx.cockpit.heat(key, definition_id=None, since=since, until=until)
    if not rows:
        return []
    steps = {step.id: step for step in engine.steps(tx.definitions.latest(key))}
    gone = ModelStep("", "", "", None)
    for_ever = all(step.kind != "endEvent" for step in steps.values())
    found = []
    for row in rows:
        step = steps.get(row.element, gone)
        if for_ever and step.kind not in TAKEN_BY_PEOPLE:
            continue  # the rhythm of a process that never ends, not work
        waited_s = waiting_s(step.kind, row)
        if row.visits and waited_s > 0:
            name = " ".join(step.name.split()) or row.element
            found.append(
                WaitingAt(key, process, row.element, name, row.visits, waited_s)
            )
    return found


def _causes(rows: Iterable[IncidentCount]) -> tuple[Cause, ...]:
    found: dict[tuple[str, str], Cause] = {}
    for row in rows:
        old = found.get((row.kind, row.cause))
        found[row.kind, row.cause] = Cause(
            row.kind,
            row.message,
            row.opened + (old.opened if old else 0),
            row.still_open + (old.still_open if old else 0),
        )
    ranked = sorted(found.values(), key=lambda one: (-one.opened, one.message))
    return tuple(ranked[:CAUSES])
