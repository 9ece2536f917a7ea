"""The database, one transaction at a time.

``UnitOfWork`` is called to open a transaction; leaving the block commits it, an
exception rolls it back. Every repository of one transaction shares its connection.
``wake`` is sent after the commit only: PostgreSQL lets one notifying transaction
commit at a time, so NOTIFY inside would serialise all workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from mpms.domain.events import Cursor, Event
from mpms.domain.goals import Goal, GoalReport, Pose
from mpms.domain.incidents import Incident, IncidentFilter
from mpms.domain.instances import (
    Instance,
    InstanceLine,
    InstanceStatus,
    Parent,
    Snapshot,
)
from mpms.domain.jobs import Job, RobotJob, WaitingJob
from mpms.domain.models import Definition
from mpms.domain.orders import Order, OrderStatus
from mpms.domain.steps import (
    EventWait,
    FormWait,
    JobWait,
    Throw,
    TimerWait,
    Wait,
)
from mpms.domain.tasks import FormAnswer, FormTask, PastTask

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.ports.administration import (
        AuditLog,
        Retention,
        RobotsOut,
        Vitals,
        Workers,
    )
    from mpms.ports.alerts import Alerts
    from mpms.ports.api import ApiAnswers, ApiTokens, Webhooks
    from mpms.ports.batches import Batches
    from mpms.ports.catalogue import CatalogueVersions
    from mpms.ports.cockpit import Cockpit, CockpitInstance, Tallies
    from mpms.ports.desk_work import Attachments, Claims, Drafts, LateAnswers
    from mpms.ports.external_tasks import ExternalTasks
    from mpms.ports.figures import Figures
    from mpms.ports.inbox import Inbox
    from mpms.ports.mail import LetterId, Reply
    from mpms.ports.metrics import Metrics
    from mpms.ports.models import Models
    from mpms.ports.order_views import OrderViews
    from mpms.ports.people import Attempts, People, Sessions
    from mpms.ports.plant import RobotState
    from mpms.ports.repair import OldHistory, Suspensions
    from mpms.ports.starts import Starts
    from mpms.ports.tracks import Tracks


class Definitions(Protocol):
    """Deployed models, decision tables and forms; versions are never changed."""

    def deploy(
        self, key: str, name: str, xml: bytes, *, by: str, note: str = ""
    ) -> Definition: ...
    def latest(self, key: str) -> Definition: ...  # ProcessUnknown
    def of_version(self, key: str, version: int) -> Definition: ...  # ProcessUnknown
    def by_id(self, definition_id: int) -> Definition: ...
    def id_of(self, definition: Definition) -> int: ...
    def listing(self) -> Sequence[Definition]: ...  # latest versions, by key
    def deploy_decision(
        self, key: str, name: str, xml: bytes, *, by: str, note: str = ""
    ) -> int: ...
    def decision(self, key: str) -> bytes | None: ...
    def deploy_form(
        self, form: str, schema: dict[str, Any], *, by: str, note: str = ""
    ) -> int: ...
    def form(self, form: str) -> dict[str, Any] | None: ...


class Instances(Protocol):
    """Process instances and their locks."""

    def add(
        self,
        instance_id: str,
        definition_id: int,
        *,
        business_key: str | None,
        parent: Parent | None,
        restarted_from: str | None = None,
    ) -> None:
        """ProcessUnknown, ProcessSuspended."""
        ...

    def lock(self, instance_id: str, *, wait_s: float = 2.0) -> Instance:
        """Lock the row for this transaction. InstanceUnknown, InstanceBusy."""
        ...

    def save(
        self,
        instance_id: str,
        snapshot: Snapshot,
        status: InstanceStatus,
        end_reason: str | None,
    ) -> None: ...

    def get(self, instance_id: str) -> Instance: ...
    def children(self, instance_id: str, task_id: str | None = None) -> list[str]: ...
    def by_business_key(self, business_key: str) -> Sequence[Instance]: ...
    def business_keys(self, instance_ids: Iterable[str]) -> dict[str, str | None]: ...
    def counts(self) -> dict[tuple[str, str], int]: ...  # (key, status) -> number
    def find(
        self,
        *,
        key: str | None = None,
        version: int | None = None,
        status: InstanceStatus | None = None,
        business_key: str | None = None,
        suspended: bool | None = None,
        troubled: bool | None = None,
        limit: int | None = 100,
    ) -> Sequence[InstanceLine]:
        """What fits all that is given, newest first."""
        ...

    def set_definition(self, instance_id: str, definition_id: int) -> None:
        """Put a locked instance under another version of its process."""
        ...

    def restart_of(self, instance_id: str) -> str | None:
        """The active instance that repeats this one."""
        ...


class Waits(Protocol):
    """What instances wait for: the live rows of tasks, jobs, timers, subscriptions."""

    def known(self, instance_id: str) -> set[str]:
        """Task ids that have a row of any kind (child instances included)."""
        ...

    def open_form(self, instance_id: str, wait: FormWait) -> None: ...
    def open_job(self, instance_id: str, wait: JobWait) -> None: ...
    def open_timer(self, instance_id: str, wait: TimerWait) -> None: ...
    def open_subscription(self, instance_id: str, wait: EventWait) -> None: ...
    def refresh(self, instance_id: str, wait: Wait) -> None:
        """Tell what a task waits for after a repair; its row and id stay."""
        ...

    def move_timer(self, task_id: str, due_at: datetime) -> None: ...
    def close(self, instance_id: str, task_ids: Iterable[str]) -> None:
        """Delete the rows of tasks that no longer wait, whatever their kind."""
        ...


class Tasks(Protocol):
    """Open forms and the answers given."""

    def get(self, task_id: str) -> FormTask: ...  # TaskGone
    def open(
        self, *, groups: Iterable[str] | None = None, instance_id: str | None = None
    ) -> Sequence[FormTask]: ...
    def answer(self, task_id: str) -> FormAnswer | None: ...
    def record(self, answer: FormAnswer) -> None: ...
    def variables(self, instance_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """What the forms of these instances see; their own inputs hide it."""
        ...

    def past(self, task_id: str, instance_id: str | None = None) -> PastTask | None:
        """A form that waited once; None if there never was one."""
        ...


class Jobs(Protocol):
    """The queue: a table, claimed with SKIP LOCKED."""

    def claim_inside(self, topics: Iterable[str]) -> Job | None:
        """Take one due job and lock its instance for this transaction."""
        ...

    def claim_outside(
        self, topics: Iterable[str], *, worker: str, lease_s: float, limit: int
    ) -> list[Job]:
        """Lease due jobs, also those whose lease ran out."""
        ...

    def hold(self, job_id: int, worker: str | None) -> bool:
        """Lock a job for settling; False if another worker has it now. ``worker``
        is None for an inside job, which nobody leases."""
        ...

    def renew(self, worker: str, job_ids: Iterable[int], lease_s: float) -> None: ...
    def release(self, worker: str) -> int:
        """Give back what a worker that stops in good order still holds."""
        ...

    def postpone(
        self, job_id: int, *, delay_s: float, error: str | None, failed: bool
    ) -> None:
        """Run again later; ``failed`` counts as an attempt."""
        ...

    def wait_for_report(self, job_id: int) -> None:
        """The handler has handed the work on; do not run it again."""
        ...

    def give_up(self, job_id: int, error: str) -> None:
        """No more attempts until an operator resets it."""
        ...

    def waiting(self, topics: Iterable[str]) -> Sequence[RobotJob]:
        """Jobs about robots that are still to be done, oldest first."""
        ...

    def reset(self, task_id: str) -> bool:
        """Let a job that was given up or handed on in vain run again, with a new
        idempotency key."""
        ...

    def topics(self) -> frozenset[str]:
        """Every topic that a ready job has."""
        ...

    def untold(self, topics: Iterable[str], *, limit: int) -> list[WaitingJob]:
        """Due jobs of these topics that no open incident tells of, oldest first."""
        ...

    def counts(self) -> dict[str, int]: ...


@dataclass(frozen=True)
class Delivery:
    """A command that lay ready for an instance."""

    id: int
    instance_id: str
    kind: str
    task_id: str | None
    data: dict[str, Any]
    failures: int = 0


@dataclass(frozen=True)
class Fitting:
    """A live event that a message fits."""

    instance_id: str
    task_id: str
    element: str


class Deliveries(Protocol):
    """Commands that an instance shall get and nobody waits for."""

    @property
    def locks_messages(self) -> bool:
        """Whether messages of others wait until this transaction ends."""
        ...

    def add(
        self,
        instance_id: str,
        kind: str,  # start, receive, complete, fail, cancel, retry
        *,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None: ...

    def claim(self) -> Delivery | None:
        """Take the oldest of any free instance and lock that instance; the row is
        deleted with this transaction."""
        ...

    def postpone(self, delivery_id: int, delay_s: float) -> None:
        """A command that could not be applied must not hold up the others."""
        ...

    def throw(self, throw: Throw) -> int:
        """Hand a signal to all who wait for it and all it starts; a message to one
        who waits, else to the process that it starts, else keep it."""
        ...

    def fitting(
        self,
        event: str,
        correlation: str | None,
        *,
        instance_id: str | None = None,
        business_key: str | None = None,
        most: int,
    ) -> Sequence[Fitting]:
        """Whom a message fits that none is on its way to, oldest first.

        No other message or subscription comes between until the commit. A message
        without a key fits an event that asks for one only where the instance is
        named.
        """
        ...

    def keep(self, throw: Throw) -> None:
        """Keep a message until somebody waits for it."""
        ...

    def match(self, wait: EventWait, instance_id: str) -> bool:
        """Give a new subscription the message that already lies there."""
        ...


class Timers(Protocol):
    """Due times."""

    def claim_due(self, now: datetime, most: int) -> list[tuple[str, str]]:
        """Due timers of free instances, locked: (instance id, task id)."""
        ...

    def next_due_at(self) -> datetime | None: ...


class Incidents(Protocol):
    """What needs a person's look."""

    def open(
        self,
        kind: str,
        message: str,
        *,
        instance_id: str | None = None,
        task_id: str | None = None,
        element: str | None = None,
    ) -> bool:
        """Open one, or renew the message of the one that is open for this task.

        True if it is a new one.
        """
        ...

    def name_causes(self, limit: int) -> int:
        """Name the causes of incidents that have none yet; how many were named."""
        ...

    def resolve(
        self,
        *,
        by: str,
        instance_id: str | None = None,
        task_id: str | None = None,
        kind: str | None = None,
    ) -> int: ...

    def resolve_served(
        self, topics: Iterable[str], *, kind: str, by: str
    ) -> Sequence[WaitingJob]:
        """Close those of a kind whose job has one of these topics; return the jobs."""
        ...

    def close(self, incident_id: int, *, by: str) -> bool:
        """A person has dealt with it; False if it is not open."""
        ...

    def get(self, incident_id: int) -> Incident | None: ...  # an open one
    def find(self, which: IncidentFilter) -> Sequence[Incident]:
        """Open ones of instances that fit all that is given, oldest first."""
        ...

    def listing(self, *, instance_id: str | None = None) -> Sequence[Incident]: ...


class Events(Protocol):
    """The history."""

    def append(
        self,
        kind: str,
        *,
        actor: str,
        instance_id: str | None = None,
        element: str | None = None,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None: ...

    def append_many(
        self,
        instance_id: str,
        actor: str,
        lines: Sequence[tuple[str, str | None, str | None, dict[str, Any]]],
    ) -> None:
        """Append (kind, element, task id, data) lines in one statement."""
        ...

    def after(
        self, cursor: Cursor, *, limit: int = 500, instance_id: str | None = None
    ) -> Sequence[Event]:
        """Lines that are certain to have no earlier line still uncommitted."""
        ...

    def last(self, limit: int) -> Sequence[Event]:
        """The newest of the lines that ``after`` gives, oldest first."""
        ...

    def held(self, known: Iterable[int], *, limit: int = 500) -> Sequence[Event]:
        """Committed lines that ``after`` keeps back for now, because a transaction
        that runs may still precede them; without the known ones."""
        ...

    def passed(self, instance_id: str) -> set[str]:
        """The elements that tokens of an instance have left."""
        ...


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
class MailRecord:
    """What is remembered of one message; its raw bytes are kept."""

    letter: LetterId
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

    def known(self, letters: Iterable[LetterId]) -> dict[LetterId, str]:
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


class Transaction(Protocol):
    """All repositories over one connection."""

    @property
    def definitions(self) -> Definitions: ...
    @property
    def models(self) -> Models: ...
    @property
    def instances(self) -> Instances: ...
    @property
    def tracks(self) -> Tracks: ...
    @property
    def figures(self) -> Figures: ...
    @property
    def metrics(self) -> Metrics: ...
    @property
    def waits(self) -> Waits: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def external_tasks(self) -> ExternalTasks: ...
    @property
    def deliveries(self) -> Deliveries: ...
    @property
    def timers(self) -> Timers: ...
    @property
    def starts(self) -> Starts: ...
    @property
    def incidents(self) -> Incidents: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def alerts(self) -> Alerts: ...
    @property
    def events(self) -> Events: ...
    @property
    def orders(self) -> Orders: ...
    @property
    def goals(self) -> Goals: ...
    @property
    def robot_holds(self) -> RobotHolds: ...
    @property
    def robots(self) -> RobotRows: ...
    @property
    def mails(self) -> Mails: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def order_views(self) -> OrderViews: ...
    @property
    def people(self) -> People: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def attempts(self) -> Attempts: ...
    @property
    def claims(self) -> Claims: ...
    @property
    def drafts(self) -> Drafts: ...
    @property
    def late_answers(self) -> LateAnswers: ...
    @property
    def attachments(self) -> Attachments: ...
    @property
    def cockpit(self) -> Cockpit: ...
    @property
    def cockpit_instance(self) -> CockpitInstance: ...
    @property
    def tallies(self) -> Tallies: ...
    @property
    def suspensions(self) -> Suspensions: ...
    @property
    def old_history(self) -> OldHistory: ...
    @property
    def batches(self) -> Batches: ...
    @property
    def api_tokens(self) -> ApiTokens: ...
    @property
    def api_answers(self) -> ApiAnswers: ...
    @property
    def webhooks(self) -> Webhooks: ...
    @property
    def workers(self) -> Workers: ...
    @property
    def robots_out(self) -> RobotsOut: ...
    @property
    def retention(self) -> Retention: ...
    @property
    def vitals(self) -> Vitals: ...
    @property
    def audit(self) -> AuditLog: ...
    @property
    def catalogue(self) -> CatalogueVersions: ...

    def wake(self) -> None:
        """After the commit, tell the workers that there is something to do."""
        ...

    def undoable(self) -> AbstractContextManager[None]:
        """What fails in this block is undone; what was done before it stands."""
        ...


class UnitOfWork(Protocol):
    """Opens transactions."""

    def __call__(self) -> AbstractContextManager[Transaction]: ...
