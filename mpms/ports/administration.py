"""The rows behind the pages for administrators: workers, servers, robots at rest, the
past that may go, what people did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.people import Person


@dataclass(frozen=True)
class WorkerSeen:
    """A worker, as it last said of itself."""

    name: str
    version: str
    poll_s: float
    started_at: datetime
    seen_at: datetime
    rounds: int
    failure: str | None


@dataclass(frozen=True)
class Contact:
    """When a server outside was last spoken with, or last could not be."""

    server: str
    reached_at: datetime | None
    failed_at: datetime | None
    failure: str | None

    @property
    def broken(self) -> bool:
        """The last attempt failed."""
        if self.failed_at is None:
            return False
        return self.reached_at is None or self.failed_at > self.reached_at


class Workers(Protocol):
    """Who is alive."""

    def beat(
        self,
        name: str,
        *,
        version: str,
        poll_s: float,
        rounds: int,
        failure: str | None,
        topics: Iterable[str],
    ) -> None: ...
    def leave(self, name: str) -> None: ...
    def listing(self) -> Sequence[WorkerSeen]: ...
    def topics(self, *, alive_s: float) -> Sequence[Sequence[str] | None]:
        """What each living worker serves; None of one that does not say."""
        ...

    def reached(self, server: str) -> None: ...
    def failed(self, server: str, failure: str) -> None: ...
    def contacts(self) -> Mapping[str, Contact]: ...


@dataclass(frozen=True)
class Kept:
    """How long ended instances are kept; None: for ever."""

    days: int | None
    by: str
    at: datetime


@dataclass(frozen=True)
class HistoryRun:
    """A deletion of old history, asked for, under way or done."""

    id: int
    before: datetime
    reason: str
    asked_by: str
    asked_at: datetime | None = None
    taken_by: str | None = None
    taken_at: datetime | None = None
    ended_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str | None = None


class Retention(Protocol):
    """What may be forgotten, and when it was."""

    def kept(self) -> Kept | None: ...
    def keep(self, days: int | None, *, by: str) -> None: ...
    def ask(self, before: datetime, *, reason: str, by: str) -> int | None:
        """None if one is under way."""
        ...

    def asked_lately(self, by: str, *, hours: int) -> bool: ...
    def take(self, worker: str, *, silent_s: float) -> HistoryRun | None: ...
    def progress(
        self, run_id: int, worker: str, counts: Mapping[str, int]
    ) -> bool:  # False: another worker has it now
        ...

    def end(
        self, run_id: int, counts: Mapping[str, int], failure: str | None
    ) -> None: ...
    def runs(self, limit: int) -> Sequence[HistoryRun]: ...


@dataclass(frozen=True)
class AuditFilter:
    """What of the log is wanted; None: all of it."""

    actor: str | None = None
    kind: str | None = None
    thing: str | None = None  # an order, a login, a robot, an instance ...
    since: datetime | None = None
    until: datetime | None = None


AuditPlace = tuple[datetime, int]


@dataclass(frozen=True)
class AuditLine:
    """One thing that a person did."""

    id: int
    at: datetime
    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    data: Mapping[str, Any]
    business_key: str | None
    process: str | None


class AuditLog(Protocol):
    """The history of people."""

    def lines(
        self, wanted: AuditFilter, *, below: AuditPlace | None, limit: int
    ) -> Sequence[AuditLine]: ...


@dataclass(frozen=True)
class DatabaseFacts:
    """What the database says of itself."""

    version: str
    size_bytes: int


@dataclass(frozen=True)
class QueueAges:
    """Since when the oldest of each queue could have been done; None: none waits."""

    job: datetime | None = None
    timer: datetime | None = None
    delivery: datetime | None = None
    reply: datetime | None = None
    webhook: datetime | None = None
    batch: datetime | None = None


class Vitals(Protocol):
    """Facts of which the health of the plant is judged."""

    def database(self) -> DatabaseFacts: ...
    def queues(self) -> QueueAges: ...


@dataclass(frozen=True)
class PersonCard:
    """A person with the ways to sign in that they have."""

    person: Person
    has_password: bool
    has_pin: bool
    has_badge: bool
    password_once: bool
    seen_at: datetime | None
    created_at: datetime
