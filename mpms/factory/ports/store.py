"""The rows of the factory, beside those of the core in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from mpms.ports import store

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.factory.domain.goals import Goal, GoalReport, Pose
    from mpms.factory.domain.orders import Order, OrderStatus
    from mpms.factory.ports.catalogue import CatalogueVersions
    from mpms.factory.ports.figures import Figures
    from mpms.factory.ports.mail import MailMessageId
    from mpms.factory.ports.order_views import OrderViews
    from mpms.factory.ports.plant import RobotState
    from mpms.factory.ports.tracks import Tracks
    from mpms.ports.outgoing_mail import Reply


class Orders(Protocol):
    """Manufacturing orders."""

    def add(self, order: Order) -> None: ...  # OrderNumberTaken
    def get(self, number: str) -> Order: ...  # OrderUnknown
    def some(self, numbers: Iterable[str]) -> dict[str, Order]:
        """By number; those that do not exist are missing."""
        ...

    def taken(self, number: str) -> bool: ...
    def next_new(self) -> Order | None:
        """The most urgent order that nobody works on, locked."""
        ...

    def assign(self, number: str, instance_id: str) -> bool:
        """Tie an order to its instance; False if it has one already."""
        ...

    def of_instance(self, instance_id: str) -> Order | None:
        """The order that an instance makes."""
        ...

    def reassign(self, number: str, instance_id: str) -> None:
        """Another instance goes on with an order."""
        ...

    def set_status(self, number: str, status: OrderStatus) -> OrderStatus:
        """Change the status and its times; return the old one."""
        ...

    def record_load(
        self,
        number: str,
        index: int,
        *,
        measured_kg: float,
        lot: str | None,
    ) -> None: ...
    def listing(self, *, limit: int = 100) -> Sequence[Order]: ...
    def open_with(self, material: str) -> Sequence[str]:
        """The numbers of open orders that need a material."""
        ...

    def counts(self) -> dict[OrderStatus, tuple[int, int]]:
        """Open orders by status: how many, and how many of them are late."""
        ...

    def running(self, *, limit: int = 20) -> Sequence[tuple[str, str, str]]:
        """(number, product, instance id) of orders being made, last changed first."""
        ...


class Goals(Protocol):
    """Navigation goals; at most one open goal a robot, by a unique index."""

    def add(self, goal: Goal) -> bool:
        """False if the id is there already (a repeated step)."""
        ...

    def decide_alone(self) -> None:
        """Nobody else finds the same place free until this transaction ends."""
        ...

    def to_send(self, robots: Iterable[str], limit: int = 50) -> Sequence[Goal]:
        """New goals of these robots, locked, oldest first."""
        ...

    def mark_sent(self, goal_id: str) -> None: ...
    def open(self) -> Sequence[Goal]: ...
    def call_off(self, goal_id: str) -> None:
        """An open goal without a task is not needed any more; its robot is told."""
        ...

    def orphans(self, robots: Iterable[str]) -> Sequence[Goal]:
        """Open goals of these robots that no process waits for any more."""
        ...

    def settle(self, report: GoalReport) -> Goal | None:
        """Close an open goal; None if it is unknown or closed already."""
        ...

    def get(self, goal_id: str) -> Goal | None: ...
    def of_instance(self, instance_id: str) -> Sequence[Goal]: ...
    def of_instances(self, instance_ids: Iterable[str]) -> Sequence[Goal]: ...


class RobotHolds(Protocol):
    """Which instance holds which robot; one holder a robot."""

    def hold(self, robot: str, instance_id: str) -> bool: ...
    def held(self) -> dict[str, str]: ...  # robot -> instance id
    def of_instance(self, instance_id: str) -> str | None: ...
    def release(self, instance_id: str) -> str | None: ...


class RobotRows(Protocol):
    """Which worker speaks with which robot; what each last reported."""

    def own(
        self, robots: Iterable[str], *, worker: str, lease_s: float
    ) -> set[str]: ...
    def release(self, worker: str) -> None: ...
    def report(self, states: Iterable[RobotState], *, worker: str) -> None: ...
    def arrived(self, robot: str, pose: Pose) -> None:
        """It stands there now; its next report may be a second away."""
        ...

    def states(self) -> Sequence[RobotState]: ...


@dataclass(frozen=True)
class RobotOut:
    """A robot that gets no new work."""

    robot: str
    reason: str
    by: str
    at: datetime


class RobotsOut(Protocol):
    """Robots that were taken out of service."""

    def take(self, robot: str, *, reason: str, by: str) -> bool: ...
    def bring_back(self, robot: str) -> RobotOut | None: ...
    def listing(self) -> Mapping[str, RobotOut]: ...
    def owners(self) -> Mapping[str, tuple[str | None, datetime | None]]:
        """Robot to the worker that speaks with it and when it last said something."""
        ...


@dataclass(frozen=True)
class MailRecord:
    """What is remembered of one message; its raw bytes are kept."""

    message: MailMessageId
    sha256: str
    size_bytes: int
    raw: bytes | None
    sender: str | None
    message_id: str | None
    counts: bool  # the first of its id from a trusted sender
    outcome: str  # accepted, rejected, ignored
    reasons: list[dict[str, str]]
    order_number: str | None


class Mails(Protocol):
    """What became of each message."""

    def known(self, messages: Iterable[MailMessageId]) -> dict[MailMessageId, str]:
        """Those that have been read before, with their outcome."""
        ...

    def lock(self, key: str) -> None:
        """One message of a sender at a time, so that its copies see each other."""
        ...

    def seen(self, sender: str, message_id: str) -> bool: ...
    def copies(self, sha256: str) -> set[str]:
        """The outcomes of messages with these very bytes."""
        ...

    def sender_known(self, sender: str) -> bool:
        """Whether an order of this sender was made, or let be made, before."""
        ...

    def add(self, mail: MailRecord) -> int | None:
        """The new row's id; None if this place in the mailbox was read before."""
        ...

    def raw(self, mail_id: int) -> bytes | None:
        """The bytes of a message; None if it was too large to be fetched."""
        ...

    def of_order(self, number: str) -> tuple[int, str, str | None] | None:
        """(id, sender, message id) of the message that brought an order."""
        ...

    def counts(self) -> dict[str, int]: ...


class Outbox(Protocol):
    """Replies; one that was handed to the mail server is never sent again."""

    def write(self, mail_id: int, reply: Reply) -> None: ...
    def take(self, process: str) -> tuple[Reply, int] | None:
        """One due reply and the number of this attempt."""
        ...

    def sent(self, reply_id: str) -> None: ...
    def postpone(self, reply_id: str, *, delay_s: float, error: str) -> None: ...
    def give_up(self, reply_id: str, error: str) -> None: ...
    def doubt(self, reply_id: str, error: str) -> None:
        """Nobody knows whether it went out."""
        ...

    def forgotten(self, after_s: float, error: str) -> list[str]:
        """Doubt what a process took this long ago and never told about; to whom."""
        ...

    def counts(self) -> dict[str, int]: ...


@dataclass(frozen=True)
class MailFacts:
    """Where the mail stands."""

    last_read_at: datetime | None
    replies_waiting: int
    replies_lost: int
    last_sent_at: datetime | None


@dataclass(frozen=True)
class UnsentReply:
    """A reply that has not gone out, or of which nobody knows."""

    id: str
    recipient: str
    subject: str
    state: str
    attempts: int
    next_at: datetime
    error: str | None
    written_at: datetime


@dataclass(frozen=True)
class MailRead:
    """A message and what became of it."""

    at: datetime
    sender: str | None
    outcome: str
    order: str | None
    reasons: Sequence[Mapping[str, str]]


class MailVitals(Protocol):
    """How mail stands."""

    def mail(self) -> MailFacts: ...
    def replies(self, limit: int) -> Sequence[UnsentReply]: ...
    def mails(self, limit: int) -> Sequence[MailRead]: ...


class Transaction(store.Transaction, Protocol):
    """The repositories of the core and of the factory over one connection."""

    @property
    def orders(self) -> Orders: ...
    @property
    def order_views(self) -> OrderViews: ...
    @property
    def goals(self) -> Goals: ...
    @property
    def robot_holds(self) -> RobotHolds: ...
    @property
    def robots(self) -> RobotRows: ...
    @property
    def robots_out(self) -> RobotsOut: ...
    @property
    def tracks(self) -> Tracks: ...
    @property
    def mails(self) -> Mails: ...
    @property
    def mail_vitals(self) -> MailVitals: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def catalogue(self) -> CatalogueVersions: ...
    @property
    def figures(self) -> Figures: ...


class UnitOfWork(Protocol):
    """Opens transactions."""

    def __call__(self) -> AbstractContextManager[Transaction]: ...
