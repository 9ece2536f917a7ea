"""What goes into one step of an instance and what comes out.

A step is pure: the engine takes a snapshot and one command and answers with the
next snapshot, everything the instance waits for now, what it threw and what
happened. ``advance_instance`` writes all of it in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mpms.domain.instances.instances import InstanceStatus, Snapshot

Variables = dict[str, Any]

USUAL_PRIORITY = 50  # of a user task, as in Camunda
GO_ON_TOPIC = "mpms.go_on"
"""Of the jobs that take up a token behind a commit point of the model."""


# -- commands ---------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """Put the first token on a start event: ``at``, else the plain one."""

    variables: Variables = field(default_factory=dict)
    at: str | None = None  # the message, signal or timer start that was triggered
    by: str | None = None  # who started it, for models that ask


@dataclass(frozen=True)
class Complete:
    """A form, a job or a called process is done and hands over its results.

    ``local`` ones are the task's own: its output mappings read them.
    """

    task_id: str
    variables: Variables = field(default_factory=dict)
    local: Variables = field(default_factory=dict)


@dataclass(frozen=True)
class Fail:
    """A job or a called process failed; the model may catch it, and the variables."""

    task_id: str
    code: str
    message: str = ""
    variables: Variables = field(default_factory=dict)


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
class Hear:
    """Something was done with a form that is open: its listeners do their work."""

    task_id: str
    events: tuple[str, ...]


@dataclass(frozen=True)
class Retry:
    """Try a stuck element again."""

    task_id: str


@dataclass(frozen=True)
class Cancel:
    """End the instance now."""

    reason: str = ""


@dataclass(frozen=True)
class Escalate:
    """A called process escalated and did not catch it; it goes on all the same."""

    task_id: str
    code: str
    variables: Variables = field(default_factory=dict)


# -- repair: what an operator does to a running instance -------------------------


@dataclass(frozen=True)
class StartAt:
    """Begin at these elements; the scopes around them are entered without start."""

    elements: tuple[str, ...]
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True)
class SetVariables:
    """Change variables: of the instance, or a live task's own with ``task_id``."""

    variables: Variables
    removed: tuple[str, ...] = ()
    task_id: str | None = None


@dataclass(frozen=True)
class Skip:
    """Leave an activity along its flows without doing it or mapping its outputs."""

    task_id: str
    variables: Variables = field(default_factory=dict)


@dataclass(frozen=True)
class Move:
    """Cancel an activity and put its token on another element."""

    task_id: str
    element: str


@dataclass(frozen=True)
class CancelActivity:
    """Cancel an activity; scopes that are empty then are cancelled too."""

    task_id: str


Repair = SetVariables | Skip | Move | CancelActivity
Command = (
    Start
    | StartAt
    | Complete
    | Fail
    | Fire
    | Receive
    | Escalate
    | Hear
    | Retry
    | Cancel
    | Repair
)


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
    due_at: datetime | None = None
    follow_up_at: datetime | None = None  # not shown before
    priority: int = USUAL_PRIORITY


@dataclass(frozen=True)
class JobWait(Wait):
    """A handler must run. ``inputs`` is None where the model maps none."""

    topic: str
    inputs: Variables | None
    retry_delays_s: tuple[float, ...]
    priority: int = 0  # higher first


@dataclass(frozen=True)
class CallWait(Wait):
    """Another process must run to its end."""

    called: str
    inputs: Variables
    business_key: str | None
    binding: str = (
        "latest"  # which version: latest, deployment (the caller's), a number
    )


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


@dataclass(frozen=True)
class LiveToken:
    """One token as an operator sees it, also where it waits for nothing outside."""

    task_id: str
    element: str
    name: str
    state: str  # waiting, joining, stuck; watching: an event around an activity
    inside: str | None  # task id of the scope it runs in; None: the process itself
    local: Variables = field(default_factory=dict)
    reason: str | None = None  # of a stuck one


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
class Escalation:
    """What nobody in the instance caught; its caller may."""

    code: str
    variables: Variables = field(default_factory=dict)


def received(throw: Throw) -> Variables:
    """What a delivery of an event says, so that it can be thrown again if need be."""
    return {
        "kind": throw.kind,
        "event": throw.event,
        "correlation": throw.correlation,
        "variables": throw.variables,
    }


@dataclass(frozen=True)
class TraceLine:
    """One thing that happened, in order."""

    kind: str  # entered, left, cancelled, variable, thrown, caught, failed, decided,
    # stuck, retried, moved, skipped...
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
    escalations: tuple[Escalation, ...] = ()
