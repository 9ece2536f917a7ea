"""What the figures add up: tallies by the hour, never the history itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mpms.factory.ports.robots.tracks import Spent
from mpms.ports.processes.cockpit import TrendHour

LEAD_STEP = 1.1
"""A bucket of lead times is so much longer than the one before."""


@dataclass(frozen=True)
class LeadCount:
    """Instances that took LEAD_STEP^bucket seconds or a little more."""

    hour: datetime  # the first of those that are added up
    bucket: int
    instances: int


@dataclass(frozen=True)
class OrderHour:
    hour: datetime
    received: int
    done: int
    cancelled: int


@dataclass(frozen=True)
class IncidentCount:
    """Incidents of one cause in one hour."""

    hour: datetime
    kind: str
    cause: str
    message: str
    opened: int
    still_open: int


class Figures(Protocol):
    """Reads only; ``key`` None: all processes."""

    def processes(
        self, since: datetime, until: datetime, key: str | None
    ) -> Sequence[TrendHour]: ...
    def lead_times(
        self, starts: Sequence[datetime], until: datetime, key: str | None
    ) -> Sequence[LeadCount]:
        """Added up from each of ``starts``, which are in order, to the next."""
        ...

    def orders(self, since: datetime, until: datetime) -> Sequence[OrderHour]: ...
    def robots(self, since: datetime, until: datetime) -> Sequence[Spent]: ...
    def incidents(
        self, since: datetime, until: datetime, key: str | None
    ) -> Sequence[IncidentCount]: ...
