"""Instances as lists show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mpms.domain.instances.instances import InstanceStatus

ENDED = tuple(s for s in InstanceStatus if s.ended)


@dataclass(frozen=True)
class InstanceFilter:
    """Which instances a page shows; what is not said does not matter."""

    key: str | None = None
    definition_id: int | None = None
    statuses: tuple[InstanceStatus, ...] = tuple(InstanceStatus)
    business_key: str = ""  # its beginning
    name: str = ""  # of a variable, with
    value: str | None = None  # its value as text
    element: str | None = None  # where a token stands now
    stuck: bool = False
    suspended: bool = False
    since: datetime | None = None  # started, or ended if it has
    until: datetime | None = None

    @property
    def of_the_present(self) -> bool:
        """Whether only instances that run can fit."""
        return self.element is not None or self.stuck or self.suspended


@dataclass(frozen=True)
class InstancePlace:
    """Where a page of the list begins: below this instance."""

    at: datetime
    id: str


@dataclass(frozen=True)
class InstanceRow:
    """An instance in the list."""

    id: str
    key: str
    definition_id: int
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    changed_at: datetime
    ended_at: datetime | None
    end_reason: str | None
    suspended_at: datetime | None
    parent_id: str | None

    @property
    def place(self) -> InstancePlace:
        return InstancePlace(self.ended_at or self.changed_at, self.id)
