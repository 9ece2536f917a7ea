"""What the cockpit reads: processes, instances and what tokens did, by the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from mpms.domain.instances import InstanceStatus

ENDED = tuple(s for s in InstanceStatus if s.ended)


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
class InstanceFilter:
    """Which instances a page shows; what is not said does not matter."""

    key: str | None = None
    definition_id: int | None = None
    statuses: tuple[InstanceStatus, ...] = tuple(InstanceStatus)
    business_key: str = ""  # its beginning
    name: str = ""  # of a variable, with
    value: str | None = None  # its value as text
    element: str | None = None  # where a token stands now
    stuck: bool = False
    suspended: bool = False
    since: datetime | None = None  # started, or ended if it has
    until: datetime | None = None

    @property
    def of_the_present(self) -> bool:
        """Whether only instances that run can fit."""
        return self.element is not None or self.stuck or self.suspended


@dataclass(frozen=True)
class InstancePlace:
    """Where a page of the list begins: below this instance."""

    at: datetime
    id: str


@dataclass(frozen=True)
class InstanceRow:
    """An instance in the list."""

    id: str
    key: str
    definition_id: int
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    changed_at: datetime
    ended_at: datetime | None
    end_reason: str | None
    suspended_at: datetime | None
    parent_id: str | None

    @property
    def place(self) -> InstancePlace:
        return InstancePlace(self.ended_at or self.changed_at, self.id)


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
    def trend(self, since: datetime, key: str | None = None) -> Sequence[TrendHour]:
        """Hours in which something began or ended, oldest first."""
        ...

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
        """The same as ``trend`` for each process, by key."""
        ...

    def late(self, today: date) -> Mapping[str, int]:
        """Instances that make an order due before this day, by process."""
        ...

    def versions(self, key: str) -> Sequence[VersionRow]:
        """The newest first; none: no such process."""
        ...

    def places(self, instance_ids: Sequence[str]) -> Sequence[InstanceStand]: ...


class Tallies(Protocol):
    """Follows the history and counts it."""

    def follow(self, limit: int) -> bool:
        """Count the next lines; False if there are none or another does it."""
        ...

    def count_jobs(self, run: Mapping[str, int], failed: Mapping[str, int]) -> None:
        """What a worker did, by topic."""
        ...


@dataclass(frozen=True)
class JobRow:
    """Work that a handler owes an instance."""

    task_id: str
    element: str
    topic: str
    state: str  # ready, handed_on, given_up
    attempts: int
    resets: int
    run_at: datetime
    leased_by: str | None
    lease_until: datetime | None
    last_error: str | None
    retries: int  # that it has in all


@dataclass(frozen=True)
class TimerRow:
    """A time that an instance waits for."""

    task_id: str
    element: str
    due_at: datetime


@dataclass(frozen=True)
class AwaitedRow:
    """A signal or message that an instance waits for."""

    task_id: str
    element: str
    kind: str
    event: str
    correlation: str | None


@dataclass(frozen=True)
class Relative:
    """Another instance that belongs to this one."""

    relation: str  # caller, called, restarted from, restarted as
    id: str
    key: str
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    ended_at: datetime | None
    parent_task: str | None


@dataclass(frozen=True)
class VariableChange:
    """Who changed a variable when."""

    line: int
    at: datetime
    actor: str
    element: str | None
    task_id: str | None
    name: str
    old: Any
    new: Any
    had_value: bool
    local: bool


@dataclass(frozen=True)
class Line:
    """One line of an instance's history."""

    line: int
    at: datetime
    kind: str
    actor: str
    element: str | None
    task_id: str | None
    data: dict[str, Any]


@dataclass(frozen=True)
class WayPart:
    """How often tokens entered (by which flow), left or were cancelled."""

    element: str
    kind: str
    flow: str | None
    times: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True)
class IncidentRow:
    """What went wrong, with who looks at it."""

    id: int
    kind: str
    message: str
    opened_at: datetime
    task_id: str | None
    element: str | None
    resolved_at: datetime | None
    resolved_by: str | None
    cause: str
    assignee: str | None


class CockpitInstance(Protocol):
    """Everything about one instance."""

    def jobs(self, instance_id: str) -> Sequence[JobRow]: ...
    def timers(self, instance_id: str) -> Sequence[TimerRow]: ...
    def awaited(self, instance_id: str) -> Sequence[AwaitedRow]: ...
    def family(self, instance_id: str) -> Sequence[Relative]: ...
    def way(self, instance_id: str) -> Sequence[WayPart]: ...
    def incidents(self, instance_id: str) -> Sequence[IncidentRow]: ...
    def changes(
        self,
        instance_id: str,
        *,
        name: str | None = None,
        below: int | None = None,
        limit: int = 100,
    ) -> Sequence[VariableChange]: ...
    def lines(
        self,
        instance_id: str,
        *,
        kinds: Sequence[str] | None = None,
        below: int | None = None,
        limit: int = 100,
    ) -> Sequence[Line]: ...
    def moves(self, instance_id: str, *, limit: int) -> Sequence[Line]:
        """Tokens that entered, left or were cancelled, in the order of time."""
        ...

    def line(self, instance_id: str, line: int) -> Line | None: ...
    def same_step(self, instance_id: str, line: int) -> Sequence[Line]:
        """Tokens that came and variables that changed with a line, in its order."""
        ...

    def undone(self, instance_id: str) -> frozenset[int]:
        """Lines that were taken back."""
        ...
