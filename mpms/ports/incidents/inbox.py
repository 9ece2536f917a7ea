"""The inbox: what is stuck now, by cause, and what people say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

SORTS = ("longest", "most", "newest")


@dataclass(frozen=True)
class CauseFilter:
    """Which open incidents an inbox shows; what is None does not matter."""

    process: str | None = None  # its key; empty: of no process
    element: str | None = None
    kind: str | None = None
    assignee: str | None = None  # a login; empty: nobody
    text: str | None = None  # a part of the message or business key
    cause: str | None = None
    sort: str = "longest"


@dataclass(frozen=True)
class CauseRow:
    """Open incidents of one cause."""

    cause: str
    kind: str
    message: str  # of the latest
    incidents: int
    instances: int
    retryable: int
    first_at: datetime
    last_at: datetime
    places: tuple[tuple[str, str], ...]  # process and element; empty where none
    assignees: tuple[str, ...]
    comments: int
    business_keys: tuple[str, ...]  # the first dozen of those held up
    last_id: int  # of the latest incident

    @property
    def processes(self) -> tuple[str, ...]:
        """Empty for what belongs to no process."""
        return tuple(dict.fromkeys(process for process, _ in self.places))


@dataclass(frozen=True)
class CauseIncident:
    """One incident of a cause, with the way to what it holds up."""

    id: int
    kind: str
    message: str
    opened_at: datetime
    instance_id: str | None
    task_id: str | None
    element: str | None
    process: str | None
    business_key: str | None
    page: str | None  # the address of what its business key names, with a plug-in
    assignee: str | None
    resolved_at: datetime | None
    resolved_by: str | None


@dataclass(frozen=True)
class CauseComment:
    """What somebody found out."""

    id: int
    text: str
    written_by: str
    written_at: datetime


@dataclass(frozen=True)
class Undecided:
    """What a plug-in lets somebody who leads decide about."""

    one: str  # a sentence in English, and that for several
    several: str
    address: str
    count: int


@dataclass(frozen=True)
class AlarmCounts:
    """What waits for somebody's decision."""

    stopped: int  # processes that ask what becomes of them
    late_answers: int
    undecided: tuple[Undecided, ...]  # of plug-ins
    causes: int  # of open incidents

    @property
    def of_plugins(self) -> int:
        return sum(each.count for each in self.undecided)

    @property
    def total(self) -> int:
        return self.stopped + self.late_answers + self.of_plugins + self.causes


class Inbox(Protocol):
    """Incidents by cause."""

    def alarm_counts(self) -> AlarmCounts: ...

    def causes(self, wanted: CauseFilter, *, limit: int) -> Sequence[CauseRow]: ...
    def count(self, wanted: CauseFilter) -> tuple[int, int]:
        """How many causes and how many incidents fit."""
        ...

    def choices(self) -> Sequence[tuple[str, str, str]]:
        """Kind, process and element of what is open, each combination once."""
        ...

    def incidents(
        self, cause: str, *, after: int | None, limit: int
    ) -> Sequence[CauseIncident]:
        """Open ones, the oldest first."""
        ...

    def settled(self, cause: str, *, limit: int) -> Sequence[CauseIncident]:
        """The last that were closed."""
        ...

    def assign(self, cause: str, login: str | None) -> int:
        """Give all open ones to somebody; how many were somebody else's."""
        ...

    def close(self, cause: str, *, by: str) -> Sequence[CauseIncident]:
        """Put aside all that nothing of ours can try again."""
        ...

    def comment(self, cause: str, text: str, *, by: str) -> None: ...
    def comments(self, cause: str) -> Sequence[CauseComment]:
        """The oldest first."""
        ...
