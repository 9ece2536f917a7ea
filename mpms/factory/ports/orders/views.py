"""What the pages of orders read: whole screens at once, never a query an order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Protocol

from mpms.factory.domain.orders import OrderStatus


@dataclass(frozen=True)
class OrderFilter:
    """Which orders a page shows; what is not said does not matter."""

    number: str | None = None
    open_only: bool = False
    statuses: tuple[OrderStatus, ...] | None = None
    due_before: date | None = None
    stuck: bool = False
    idle: bool = False  # nobody works on it
    priority: str | None = None
    since: datetime | None = None  # received
    text: str = ""  # somewhere in the number, the product or the customer


SORTS = ("order", "status", "priority", "waits", "loaded", "due", "received")


@dataclass(frozen=True)
class OrderSort:
    """By a column of the list; ``skip``: how many stand on the pages before."""

    column: str
    down: bool = False
    skip: int = 0


@dataclass(frozen=True)
class OrderPlace:
    """Where a page of the list begins: below this order."""

    received_at: datetime
    number: str


@dataclass(frozen=True)
class OrderRow:
    """An order in the list."""

    number: str
    product: str
    customer: str
    status: OrderStatus
    priority: str
    received_at: datetime
    due: date | None
    started_at: datetime | None
    ended_at: datetime | None
    instance_id: str | None
    lines: int
    required_kg: Decimal
    measured_lines: int
    measured_kg: Decimal
    loaded: Any  # the process's own list, whatever it holds

    @property
    def place(self) -> OrderPlace:
        return OrderPlace(self.received_at, self.number)


@dataclass(frozen=True)
class WaitRow:
    """One thing that the process of an order waits for."""

    instance_id: str  # of the order, also for a process that it called
    kind: str  # incident, form, drive, job, timer, event
    task_id: str | None
    element: str | None
    name: str | None  # of a form, the topic of a job, the name of an event
    what: str | None  # the form's key, the state of a goal or job, signal or message
    who: str | None  # who has taken it
    groups: str | None  # who may take it
    robot: str | None
    place: str | None
    material: str | None
    detail: str | None
    attempts: int
    since_at: datetime  # of a timer: until


@dataclass(frozen=True)
class OrderCounts:
    """Open orders, counted up to a cap."""

    open: int
    late: int
    stuck: int
    waiting: int
    new: int
    in_process: int


@dataclass(frozen=True)
class LineRow:
    """A raw material of an order."""

    material: str
    name: str
    required_kg: Decimal
    lot: str | None
    measured_kg: Decimal | None
    loaded_lot: str | None
    loaded_at: datetime | None


@dataclass(frozen=True)
class RunRow:
    """A process that works for an order."""

    instance_id: str
    definition_id: int
    loaded: Any


@dataclass(frozen=True)
class HistoryRow:
    """One line of the history; ``actor`` is a person's name where it is one."""

    id: int
    at: datetime
    kind: str
    actor: str
    element: str | None
    task_id: str | None
    instance_id: str | None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StepRow:
    """How long an element took."""

    instance_id: str
    element: str
    rounds: int
    entered_at: datetime
    left_at: datetime | None
    took_s: float
    open: int


@dataclass(frozen=True)
class DriveRow:
    """Where a robot drove."""

    robot: str
    place: str
    state: str
    reason: str | None
    inferred: bool
    created_at: datetime
    sent_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True)
class IncidentRow:
    """What needed a look."""

    id: int
    kind: str
    message: str
    element: str | None
    instance_id: str
    opened_at: datetime
    resolved_at: datetime | None
    resolved_by: str | None


@dataclass(frozen=True)
class AttachmentRow:
    """A photo or signature without its bytes."""

    id: str
    instance_id: str
    field: str
    media_type: str
    size_bytes: int
    added_by: str
    added_at: datetime
    element: str | None


@dataclass(frozen=True)
class MailRow:
    """A message without its bytes."""

    id: int
    sender: str | None
    message_id: str | None
    size_bytes: int
    read_at: datetime
    outcome: str
    reasons: list[dict[str, str]]
    order_number: str | None


class OrderViews(Protocol):
    """Reads only; each method is one statement."""

    def page(
        self,
        wanted: OrderFilter,
        *,
        below: OrderPlace | None = None,
        limit: int,
        decision_form: str,
    ) -> Sequence[OrderRow]: ...
    def sorted(
        self, wanted: OrderFilter, sort: OrderSort, *, limit: int, decision_form: str
    ) -> Sequence[OrderRow]: ...

    def waits(self, instance_ids: Iterable[str]) -> Sequence[WaitRow]: ...
    def counts(self, *, today: date, cap: int, decision_form: str) -> OrderCounts: ...
    def found(self, wanted: OrderFilter, *, cap: int) -> int: ...
    def usual_s(self, orders: int) -> float | None:
        """The median time of the last orders that were done."""
        ...

    def last_number(self, first: str, last: str) -> str | None: ...
    def lines(self, number: str) -> Sequence[LineRow]: ...
    def runs(self, instance_id: str) -> Sequence[RunRow]:
        """The order's process first, then what it called."""
        ...

    def history(
        self,
        number: str,
        instance_ids: Iterable[str],
        *,
        hidden: Iterable[str],
        variables: Iterable[str],
        before: int | None,
        limit: int,
    ) -> Sequence[HistoryRow]: ...
    def steps(
        self, instance_ids: Iterable[str], elements: Iterable[str]
    ) -> Sequence[StepRow]: ...
    def drives(
        self, instance_ids: Iterable[str], *, limit: int
    ) -> Sequence[DriveRow]: ...
    def incidents(
        self, instance_ids: Iterable[str], *, limit: int
    ) -> Sequence[IncidentRow]: ...
    def attachments(
        self, instance_ids: Iterable[str], *, limit: int
    ) -> Sequence[AttachmentRow]: ...
    def mail(self, number: str) -> MailRow | None: ...
    def mail_by_message(
        self, sender: str, message_id: str, *, latest: int
    ) -> MailRow | None:
        """Among the latest messages only: the way of a message just sent."""
        ...
