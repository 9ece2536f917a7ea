"""Lists with many filters, as programs ask for them; pages have lists of their own.

A filter that is None does not matter. Patterns (``like``) are SQL's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.incidents.incidents import Incident
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.tasks import FormTask

Texts = tuple[str, ...] | None
Numbers = tuple[int, ...] | None


@dataclass(frozen=True)
class Part:
    """Which part of a list is wanted, in which order."""

    sort: str = ""
    down: bool = False
    offset: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class TasksWanted:
    task_ids: Texts = None
    instance_ids: Texts = None
    business_key: str | None = None
    business_key_like: str | None = None
    processes: Texts = None
    definitions: Numbers = None
    elements: Texts = None
    name: str | None = None
    name_like: str | None = None
    assignee: str | None = None
    assigned: bool | None = None
    groups: Texts = None  # in whatever case
    suspended: bool | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    due_after: datetime | None = None
    due_before: datetime | None = None
    shown_after: datetime | None = None  # the follow-up date
    shown_before: datetime | None = None
    shown_by: datetime | None = None  # or it has none
    priority_from: int | None = None
    priority_to: int | None = None
    owner: str | None = None
    delegation: str | None = None  # PENDING or RESOLVED
    variables: dict[str, Any] | None = None  # of the instance, equal to these


@dataclass(frozen=True)
class InstancesWanted:
    instance_ids: Texts = None
    parent_id: str | None = None
    top: bool | None = None  # nobody called it
    business_keys: Texts = None
    business_key_like: str | None = None
    processes: Texts = None
    definitions: Numbers = None
    statuses: Texts = None
    suspended: bool | None = None
    troubled: bool | None = None  # has an open incident
    started_after: datetime | None = None
    started_before: datetime | None = None
    ended_after: datetime | None = None
    ended_before: datetime | None = None
    lasted_after: datetime | None = None  # still ran then
    assignee: str | None = None  # has or had a form of theirs
    variables: dict[str, Any] | None = None


@dataclass(frozen=True)
class IncidentsWanted:
    ids: Numbers = None
    open: bool | None = None
    kind: str | None = None
    message: str | None = None
    message_like: str | None = None
    instance_ids: Texts = None
    task_ids: Texts = None
    processes: Texts = None
    definitions: Numbers = None
    element: str | None = None
    opened_after: datetime | None = None
    opened_before: datetime | None = None


@dataclass(frozen=True)
class DefinitionsWanted:
    ids: Numbers = None
    keys: Texts = None
    key_like: str | None = None
    name: str | None = None
    name_like: str | None = None
    version: int | None = None
    latest: bool | None = None
    suspended: bool | None = None


@dataclass(frozen=True)
class ListedTask:
    task: FormTask
    key: str
    version: int
    definition_id: int
    claimed_by: str | None

    @property
    def assignee(self) -> str | None:
        """Who has taken it, else whom the model names."""
        return self.claimed_by or self.task.assignee


@dataclass(frozen=True)
class ListedInstance:
    id: str
    definition_id: int
    key: str
    version: int
    name: str
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    ended_at: datetime | None
    end_reason: str | None
    suspended: bool
    parent_id: str | None


@dataclass(frozen=True)
class ListedIncident:
    incident: Incident
    key: str | None
    version: int | None
    definition_id: int | None


@dataclass(frozen=True)
class ListedDefinition:
    id: int
    key: str
    version: int
    name: str
    deployed_at: datetime
    deployed_by: str
    suspended: bool


@dataclass(frozen=True)
class ListedDeployment:
    """What was deployed in one transaction."""

    at: datetime
    by: str
    note: str
    definitions: int
    decisions: int
    forms: int


@dataclass(frozen=True)
class Visit:
    """A token was at an element; ``ended_at`` None: it still is."""

    instance_id: str
    task_id: str
    element: str
    entered_at: datetime
    ended_at: datetime | None
    cancelled: bool
    assignee: str | None  # of a form: who answered it, else who has it


class Listings(Protocol):
    """Each gives the rows of the part and how many fit in all."""

    def tasks(
        self, wanted: TasksWanted, part: Part
    ) -> tuple[Sequence[ListedTask], int]: ...
    def instances(
        self, wanted: InstancesWanted, part: Part
    ) -> tuple[Sequence[ListedInstance], int]: ...
    def incidents(
        self, wanted: IncidentsWanted, part: Part
    ) -> tuple[Sequence[ListedIncident], int]: ...
    def definitions(
        self, wanted: DefinitionsWanted, part: Part
    ) -> tuple[Sequence[ListedDefinition], int]: ...
    def deployments(self) -> Sequence[ListedDeployment]:
        """The last first."""
        ...

    def instance_of(self, task_id: str) -> str | None:
        """Where a token with this id is or was."""
        ...

    def visits(self, instance_ids: Iterable[str]) -> Sequence[Visit]:
        """Of these instances, in the order of time."""
        ...

    def waiting(
        self, event: str, variables: dict[str, Any], *, business_key: str | None
    ) -> Sequence[str]:
        """Instances with these variables that wait for a message of this name."""
        ...
