"""Instances, forms and incidents for clients that know everything by a number."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import USUAL_PRIORITY

Row = TypeVar("Row")

COUNTED = 10_000
"""So many are counted and can be paged through."""


@dataclass(frozen=True)
class Page:
    """Which part of a list is wanted."""

    limit: int = 100
    offset: int = 0
    newest_first: bool = False


@dataclass(frozen=True)
class Found(Generic[Row]):
    """A part of a list; ``total`` is counted up to a little more than ``COUNTED``."""

    rows: list[Row]
    total: int


@dataclass(frozen=True)
class NumberedDefinition:
    number: int
    key: str
    version: int
    name: str


@dataclass(frozen=True)
class NumberedInstance:
    number: int
    id: str
    definition: NumberedDefinition
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    ended_at: datetime | None
    parent_number: int | None
    incidents: bool  # has open ones


@dataclass(frozen=True)
class NumberedTask:
    """An open form."""

    number: int
    id: str
    instance_id: str
    instance_number: int
    definition: NumberedDefinition
    element: str
    name: str
    assignee: str | None  # who has claimed it, else whom the model names
    groups: tuple[str, ...]
    form: str | None
    form_number: int | None
    created_at: datetime
    due_at: datetime | None = None
    follow_up_at: datetime | None = None
    priority: int = USUAL_PRIORITY


@dataclass(frozen=True)
class NumberedIncident:
    """An open incident of an instance."""

    number: int
    kind: str
    message: str
    opened_at: datetime
    instance_number: int
    definition: NumberedDefinition
    element: str
    job_number: int | None
    task_number: int | None


@dataclass(frozen=True)
class NumberedVersion:
    """A deployed form or decision."""

    key: str
    number: int
    version: int
    name: str


# Which are meant. None: any.


@dataclass(frozen=True)
class DefinitionsWanted:
    numbers: tuple[int, ...] | None = None
    keys: tuple[str, ...] | None = None
    version: int | None = None
    latest: bool = False


@dataclass(frozen=True)
class InstancesWanted:
    numbers: tuple[int, ...] | None = None
    keys: tuple[str, ...] | None = None
    definitions: tuple[int, ...] | None = None
    version: int | None = None
    statuses: tuple[str, ...] | None = None
    business_keys: tuple[str, ...] | None = None
    parents: tuple[int, ...] | None = None
    incidents: bool | None = None


@dataclass(frozen=True)
class TasksWanted:
    numbers: tuple[int, ...] | None = None
    instances: tuple[int, ...] | None = None
    keys: tuple[str, ...] | None = None
    definitions: tuple[int, ...] | None = None
    elements: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    assignees: tuple[str, ...] | None = None
    assigned: bool | None = None
    groups: tuple[str, ...] | None = None  # one of them


@dataclass(frozen=True)
class IncidentsWanted:
    numbers: tuple[int, ...] | None = None
    instances: tuple[int, ...] | None = None
    keys: tuple[str, ...] | None = None
    definitions: tuple[int, ...] | None = None
    elements: tuple[str, ...] | None = None
    jobs: tuple[int, ...] | None = None
