"""A process instance as everybody but the engine sees it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


class InstanceStatus(enum.StrEnum):
    """Where an instance stands."""

    ACTIVE = "active"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"  # ended by an error that nobody caught

    @property
    def ended(self) -> bool:
        return self is not InstanceStatus.ACTIVE


@dataclass(frozen=True)
class Snapshot:
    """What an instance is between two steps: its tokens and its variables.

    ``state`` is the engine's own and means nothing to others. It is kept as bytes
    because a store that reorders keys destroys it.
    """

    state: bytes
    variables: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Parent:
    """The call activity that an instance works for."""

    instance_id: str
    task_id: str


@dataclass(frozen=True)
class Suspension:
    """Who stopped an instance or a process, when and why."""

    by: str
    reason: str
    at: datetime

    def __str__(self) -> str:
        return f"suspended by {self.by}: {self.reason}"


@dataclass(frozen=True)
class Instance:
    """One row of ``instances``."""

    id: str
    definition_id: int
    key: str
    business_key: str | None
    parent: Parent | None
    status: InstanceStatus
    snapshot: Snapshot | None  # None until the first step
    revision: int
    started_at: datetime
    changed_at: datetime
    ended_at: datetime | None = None
    end_reason: str | None = None
    suspended: Suspension | None = None
    restarted_from: str | None = None  # the ended instance that this one repeats


@dataclass(frozen=True)
class InstanceLine:
    """An instance in a list, without its state."""

    id: str
    key: str
    version: int
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    ended_at: datetime | None
    end_reason: str | None
    suspended: Suspension | None
    parent_id: str | None
    restarted_from: str | None
    incidents: int  # open ones
