"""Jobs that workers of others fetch over the network, as they see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mpms.domain.errors import MpmsError, NotFound
from mpms.domain.jobs import Job

# A worker of ours is named by its machine, and no machine has a slash in its name.
FOREIGN = "camunda7/"
FOREIGN_8 = "camunda8/"


class ExternalTaskUnknown(NotFound):
    """There is no such external task; it may be done or cancelled."""


class NotYourLock(MpmsError):
    """The last lock of this external task is not this worker's."""


@dataclass(frozen=True)
class WantedTopic:
    """What a worker asks for. None: any."""

    topic: str
    lease_s: float
    business_key: str | None = None
    processes: tuple[str, ...] | None = None
    definitions: tuple[int, ...] | None = None
    variables: dict[str, Any] | None = None  # of the instance, equal to these
    with_properties: bool = False  # of the model's element


@dataclass(frozen=True)
class ExternalTask:
    """One job, whoever works on it."""

    job: Job
    key: str
    version: int
    definition_id: int
    variables: dict[str, Any]  # of the instance
    mapped: dict[str, Any] | None  # its own, where the model maps inputs
    given_up: bool
    leased_by: str | None
    lease_until: datetime | None
    retries_left: int | None  # None: no worker has said
    error: str | None
    details: str | None  # of that error, as a worker told them
    created_at: datetime
    suspended: bool
    instance_number: int = 0
    priority: int = 0
    properties: Mapping[str, str] = field(default_factory=dict)  # where asked for

    @property
    def worker(self) -> str | None:
        """As it calls itself; one of ours keeps its name."""
        if self.leased_by is None:
            return None
        return self.leased_by.removeprefix(FOREIGN).removeprefix(FOREIGN_8)

    @property
    def tries_left(self) -> int:
        """As often as a worker said, else as often as the model allows."""
        if self.given_up:
            return 0
        if self.retries_left is not None:
            return self.retries_left
        return max(1, len(self.job.retry_delays_s) + 1 - self.job.attempts)

    @property
    def visible(self) -> dict[str, Any]:
        """What the task reads, its own hiding the instance's."""
        return self.variables | (self.mapped or {})


@dataclass(frozen=True)
class TaskFilter:
    """Which tasks are meant. None: any."""

    task_ids: tuple[str, ...] | None = None
    instance_ids: tuple[str, ...] | None = None
    topic: str | None = None
    worker: str | None = None
    process: str | None = None
    element: str | None = None
    locked: bool | None = None
    retries_left: bool | None = None
    newest_first: bool = False
    by_priority: bool = False


@dataclass(frozen=True)
class Failure:
    """What a worker tells when it could not do a task."""

    message: str
    details: str | None = None
    retries: int = 0
    again_in_s: float = 0.0
    variables: dict[str, Any] = field(default_factory=dict)  # for the process
    local: dict[str, Any] = field(default_factory=dict)  # for the task alone


@dataclass(frozen=True)
class Thrown:
    """A BPMN error that a worker throws, with variables for who catches it."""

    code: str
    message: str = ""
    variables: dict[str, Any] = field(default_factory=dict)


def foreign(worker: str, prefix: str = FOREIGN) -> str:
    """How a lease names a worker of others."""
    return f"{prefix}{worker}"


def is_foreign(leased_by: str | None) -> bool:
    """Whether a lease is a worker's of others."""
    return leased_by is not None and leased_by.startswith((FOREIGN, FOREIGN_8))
