"""The cockpit's first page: every process, what is stuck and what is late first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mpms.ports.processes.cockpit import ProcessRow, TrendHour
from mpms.ports.store import UnitOfWork

TREND_HOURS = 24


@dataclass(frozen=True)
class ProcessBoard:
    """One look at all processes; trends have one entry for each of the last hours."""

    processes: Sequence[ProcessRow]
    trends: Mapping[str, Sequence[TrendHour]]
    late_by_process: Mapping[str, int]
    stopped: Collection[str] = ()  # processes of which no new ones are started

    @property
    def active(self) -> int:
        return sum(row.active for row in self.processes)

    @property
    def suspended(self) -> int:
        return sum(row.suspended for row in self.processes)

    @property
    def incidents(self) -> int:
        return sum(row.incidents for row in self.processes)

    @property
    def forms(self) -> int:
        return sum(row.forms for row in self.processes)

    @property
    def late(self) -> int:
        return sum(self.late_by_process.values())


def process_board(uow: UnitOfWork, *, now: datetime) -> ProcessBoard:
    """Processes with incidents first, then the late and the busy ones, then by key."""
    first = hour_of(now) - timedelta(hours=TREND_HOURS - 1)
    with uow() as tx:
        processes = tx.cockpit.processes()
        trends = tx.cockpit.trends(first)
        late = tx.cockpit.late(now.astimezone().date())
        stopped = tx.suspensions.processes().keys()
    ranked = sorted(
        processes,
        key=lambda p: (-p.incidents, -late.get(p.key, 0), -p.active, p.key),
    )
    whole = {p.key: _every_hour(trends.get(p.key, ()), first) for p in ranked}
    return ProcessBoard(ranked, whole, late, stopped)


def hour_of(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def _every_hour(known: Sequence[TrendHour], first: datetime) -> Sequence[TrendHour]:
    by_hour = {row.hour: row for row in known}
    hours = [first + timedelta(hours=n) for n in range(TREND_HOURS)]
    return [by_hour.get(hour) or TrendHour(hour, 0, 0, 0, 0, 0.0) for hour in hours]
