"""What the cockpit reads: processes, instances and what tokens did, by the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from mpms.ports.instances.rows import InstanceFilter, InstancePlace, InstanceRow


@dataclass(frozen=True)
class ProcessRow:
    """A process, its latest version and what its instances do now."""

    key: str
    definition_id: int
    version: int
    name: str
    deployed_at: datetime
    deployed_by: str
    active: int
    suspended: int
    oldest_at: datetime | None
    incidents: int
    forms: int
    active_before: int  # instances that run an older version


@dataclass(frozen=True)
class TrendHour:
    """What began and ended in one hour."""

    hour: datetime
    started: int
    completed: int
    cancelled: int
    failed: int
    seconds: float  # of all that completed


@dataclass(frozen=True)
class VersionRow:
    """A version of a process and how many instances run it."""

    definition_id: int
    version: int
    name: str
    deployed_at: datetime
    deployed_by: str
    active: int


@dataclass(frozen=True)
class Heat:
    """What tokens did at one element in a window of time."""

    element: str
    visits: int
    cancelled: int
    seconds: float
    waited_s: float  # until somebody took it, where people do
    longest_s: float


@dataclass(frozen=True)
class Standing:
    """Tokens that stand at one element now."""

    element: str
    tokens: int
    since: datetime  # the oldest of them
    stuck: int


@dataclass(frozen=True)
class InstanceStand:
    """Tokens of one instance at one element; without element: its open incidents."""

    instance_id: str
    element: str | None
    tokens: int
    stuck: int


class Cockpit(Protocol):
    """Whole screens at once."""

    def processes(self) -> Sequence[ProcessRow]: ...
    def instances(
        self, wanted: InstanceFilter, *, below: InstancePlace | None, limit: int
    ) -> Sequence[InstanceRow]:
        """The last changed first."""
        ...

    def counted(
        self, wanted: InstanceFilter, *, limit: int, most: int
    ) -> tuple[Sequence[InstanceRow], int]:
        """The first of them, and how many there are; counting stops at ``most``."""
        ...

    def heat(
        self,
        key: str,
        *,
        definition_id: int | None,
        since: datetime,
        until: datetime,
    ) -> Sequence[Heat]: ...
    def heat_of(
        self, instance_ids: Sequence[str], *, since: datetime, until: datetime
    ) -> Sequence[Heat]:
        """The same of some instances, to the second."""
        ...

    def standing(
        self,
        key: str,
        *,
        definition_id: int | None = None,
        instance_ids: Sequence[str] | None = None,
    ) -> Sequence[Standing]:
        """Without ``instance_ids``: of all."""
        ...

    def trends(self, since: datetime) -> Mapping[str, Sequence[TrendHour]]:
        """Hours in which something began or ended, the oldest first, by process."""
        ...

    def late(self, today: date) -> Mapping[str, int]:
        """How many instances should have ended before this day, by process."""
        ...

    def versions(self, key: str) -> Sequence[VersionRow]:
        """The newest first; none: no such process."""
        ...

    def places(self, instance_ids: Sequence[str]) -> Sequence[InstanceStand]: ...
