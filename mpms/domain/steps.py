"""What goes into one step of an instance and what comes out.

A step is pure: the engine takes a snapshot and one command and answers with the
next snapshot, everything the instance waits for now, what it threw and what
happened. ``advance_instance`` writes all of it in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mpms.domain.instances import InstanceStatus, Snapshot

Variables = dict[str, Any]


# -- commands ---------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """Put the first token on the start event."""

    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True)
class Complete:
    """A form, a job or a called process is done and hands over its results."""

    task_id: str
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True)
class Fail:
    """A job or a called process failed; the model may catch it."""

    task_id: str
    code: str
    message: str = ""


@dataclass(frozen=True)
class Fire:
    """A timer is due."""

    task_id: str


@dataclass(frozen=True)
class Receive:
    """A signal or message has come for a waiting event."""

    task_id: str
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True)
class Retry:
    """Try a stuck element again."""

    task_id: str


@dataclass(frozen=True)
class Cancel:
    """End the instance now."""

    reason: str = ""


Command = Start | Complete | Fail | Fire | Receive | Retry | Cancel


# -- what an instance waits for ------------------------------------------------


@dataclass(frozen=True)
class Wait:
    """One live token that something outside must move."""

    task_id: str
    element: str
    name: str
    lane: str | None


@dataclass(frozen=True)
class FormWait(Wait):
    """A person must fill in a form."""

    form: str | None
    assignee: str | None
    groups: tuple[str, ...]
    inputs: Variables


@dataclass(frozen=True)
class JobWait(Wait):
    """A handler must run. ``inputs`` is None where the model maps none."""

    topic: str
    inputs: Variables | None
    retry_delays_s: tuple[float, ...]


@dataclass(frozen=True)
class CallWait(Wait):
    """Another process must run to its end."""

    called: str
    inputs: Variables
    business_key: str | None


@dataclass(frozen=True)
class TimerWait(Wait):
    """Time must pass."""

    due_at: datetime


@dataclass(frozen=True)
class EventWait(Wait):
    """A signal or message must come."""

    kind: str  # signal or message
    event: str
    correlation: str | None


@dataclass(frozen=True)
class StuckWait(Wait):
    """The element could not be executed; an operator must look at it."""

    reason: str


# -- what else a step produces -----------------------------------------------------


@dataclass(frozen=True)
class Throw:
    """A signal (to all who wait) or a message (to one, kept until awaited).

    ``once``: the message says the same as one that is kept already, so it is not
    kept a second time.
    """

    kind: str
    event: str
    correlation: str | None
    variables: Variables
    once: bool = False


@dataclass(frozen=True)
class TraceLine:
    """One thing that happened, in order."""

    kind: str  # entered, left, cancelled, variable, thrown, caught, failed, decided
    element: str | None
    task_id: str | None
    data: Variables = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """Everything one command changed.

    ``opened`` and ``closed`` are what the instance newly waits for and waits for no
    longer; a timer that moved is in both.
    """

    snapshot: Snapshot
    status: InstanceStatus
    waits: tuple[Wait, ...]
    opened: tuple[Wait, ...]
    closed: tuple[Wait, ...]
    throws: tuple[Throw, ...]
    trace: tuple[TraceLine, ...]
    caught: bool = True  # False: a Fail that no error event catches; nothing changed
    error: tuple[str, str] | None = None  # code and message of a FAILED instance
