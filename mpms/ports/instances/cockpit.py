"""Everything that the cockpit shows about one instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.instances.instances import InstanceStatus


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
