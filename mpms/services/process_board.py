"""The cockpit's first page: every process, what is stuck and what is late first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mpms.ports.cockpit import ProcessRow, TrendHour
from mpms.ports.store import UnitOfWork

TREND_HOURS = 24


@dataclass(frozen=True)
class ProcessBoard:
    """One look at all processes."""

    processes: Sequence[ProcessRow]
    trend: Sequence[TrendHour]

    @property
    def active(self) -> int:
        return sum(row.active for row in self.processes)

    @property
    def incidents(self) -> int:
        return sum(row.incidents for row in self.processes)

    @property
    def forms(self) -> int:
        return sum(row.forms for row in self.processes)


def process_board(uow: UnitOfWork, *, now: datetime) -> ProcessBoard:
    """Processes with incidents first, then the busy ones, then by name."""
    with uow() as tx:
        processes = tx.cockpit.processes()
        trend = tx.cockpit.trend(now - timedelta(hours=TREND_HOURS))
    ranked = sorted(processes, key=lambda p: (-p.incidents, -p.active, p.key))
    return ProcessBoard(ranked, trend)
