"""The rows of the fleet: who decides, what it knows, what it is told, what it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mpms.factory.domain.fleet_requests import FleetRequest, RequestState
from mpms.factory.domain.goals import Goal


@dataclass(frozen=True)
class SavedFleet:
    """What the fleet knew after its last round."""

    state: Mapping[str, Any] | None  # None: there was no round yet
    world: str  # a digest of the files that it belongs to
    owner: str | None
    saved_at: datetime | None
    led: bool  # a living worker decides


@dataclass(frozen=True)
class Said:
    """Something that the fleet was told and has not heard yet."""

    id: int
    kind: str
    data: Mapping[str, Any]
    said_by: str


@dataclass(frozen=True)
class TaskRow:
    """A task of the fleet as it is now."""

    id: str
    kind: str
    state: str
    robot: str
    legs: Sequence[Mapping[str, str]]
    leg: int
    package: str
    package_type: str
    priority: int
    why: str
    ended: bool


@dataclass(frozen=True)
class DecisionRow:
    """Who got a task, and what everybody offered."""

    task: str
    robot: str
    strategy: str
    reason: str
    bids: Mapping[str, float]
    refusals: Mapping[str, str]


@dataclass(frozen=True)
class MinuteRow:
    """What a robot did since the last look, in seconds."""

    robot: str
    percent: float
    driving_s: float = 0.0
    empty_s: float = 0.0
    waiting_s: float = 0.0
    acting_s: float = 0.0
    charging_s: float = 0.0
    idle_s: float = 0.0


@dataclass(frozen=True)
class PastTask(TaskRow):
    """A task with its times."""

    submitted_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True)
class PastDecision(DecisionRow):
    decided_at: datetime


@dataclass(frozen=True)
class PastMinute(MinuteRow):
    minute: datetime = datetime.min


class FleetRows(Protocol):
    """One fleet a database."""

    def own(self, *, worker: str, lease_s: float) -> bool:
        """Take or keep the lease; nobody else has it until this transaction ends."""
        ...

    def release(self, worker: str) -> None: ...
    def saved(self) -> SavedFleet: ...
    def save(self, state: Mapping[str, Any], *, world: str) -> None: ...
    def say(self, kind: str, data: Mapping[str, Any], *, said_by: str) -> int: ...
    def to_take(self, limit: int = 200) -> Sequence[Said]: ...
    def taken(self, said_id: int, refused: str | None = None) -> None: ...
    def put_task(self, task: TaskRow) -> None: ...
    def add_decision(self, decision: DecisionRow) -> None: ...
    def add_minutes(self, rows: Iterable[MinuteRow], *, at: datetime) -> None: ...
    def add_waits(
        self, squares: Mapping[tuple[int, int], float], *, at: datetime
    ) -> None: ...
    def goals(self, ids: Iterable[str]) -> Sequence[Goal]: ...
    def call_off(self, goal_id: str) -> None: ...
    def begin_anew(self, why: str) -> None:
        """Tasks and goals of an earlier state are not gone on with."""
        ...

    def robots_at_work(self) -> set[str]:
        """Robots that have a task of somebody, not only to charge or to park."""
        ...

    def unfit(self) -> Mapping[str, str]:
        """Robots to which the fleet gives no work now, and why."""
        ...

    def tasks(self, *, ended: int) -> Sequence[PastTask]:
        """What is open, oldest first, then what ended last."""
        ...

    def task(self, task_id: str) -> PastTask | None: ...
    def decisions(self, task_id: str) -> Sequence[PastDecision]: ...
    def minutes(self, since: datetime) -> Sequence[PastMinute]: ...
    def waits(self, since: datetime) -> Mapping[tuple[int, int], float]: ...
    def ended(self, since: datetime) -> Mapping[str, int]:
        """State to how many tasks of somebody ended so."""
        ...

    def forget(self) -> None:
        """Drop what is too old to be looked at."""
        ...


class FleetRequests(Protocol):
    """What processes ask of the fleet."""

    def add(self, request: FleetRequest) -> None:
        """Nothing, if it is there already (a repeated step)."""
        ...

    def at_work(self) -> Sequence[FleetRequest]:
        """Those that have not ended, in the order of asking."""
        ...

    def begin(self, request_id: str, fleet_task: str) -> None: ...
    def note(self, request_id: str, why: str | None) -> None:
        """Why an open one is not gone on with now."""
        ...

    def end(
        self,
        request_id: str,
        state: RequestState,
        *,
        code: str | None = None,
        why: str | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> None: ...
    def to_tell(self, limit: int = 50) -> Sequence[FleetRequest]: ...
    def tell(self, request_id: str) -> bool:
        """False if another worker has told its process already."""
        ...
