"""Work outside the process: who does it, how often it is tried, what it answers."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any


class Reach(enum.Enum):
    """How far a handler's effects go; it decides how the handler is run."""

    PURE = "pure"  # computes only: runs inside the step, without a job
    INSIDE = "inside"  # changes our database: runs in the step's own transaction
    OUTSIDE = "outside"  # touches the world: leased, repeated, with an idempotency key


@dataclass(frozen=True)
class Job:
    """One claimed job as its handler sees it.

    ``idempotency_key`` stays the same over every retry and every crash; only an
    operator who resets the job makes a new one.
    """

    id: int
    task_id: str
    instance_id: str
    business_key: str | None
    element: str
    topic: str
    inputs: dict[str, Any]
    attempts: int
    retry_delays_s: tuple[float, ...]
    idempotency_key: str


@dataclass(frozen=True)
class WaitingJob:
    """A job that somebody looks at and does not claim."""

    task_id: str
    instance_id: str
    element: str
    topic: str


@dataclass(frozen=True)
class Done:
    """The work is finished; these variables are its results.

    ``local`` ones are the task's own: its output mappings read them.
    """

    variables: dict[str, Any] = field(default_factory=dict)
    local: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Deferred:
    """The work has been handed on; somebody else will complete the task."""


@dataclass(frozen=True)
class NotYet:
    """Nothing is wrong, but it is too early; look again after this time."""

    again_in_s: float
    why: str


Answer = Done | Deferred | NotYet

DEFAULT_RETRY_DELAYS_S = (1.0, 5.0, 15.0)
