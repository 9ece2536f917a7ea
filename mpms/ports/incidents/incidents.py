"""What needs a person's look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from mpms.domain.incidents.incidents import Incident, IncidentFilter
from mpms.domain.jobs import WaitingJob


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

    def resolve_with_task(
        self, task_id: str, *, by: str, kind: str | None = None
    ) -> None:
        """Close what is open for a task that waits no longer, of one kind or all."""
        ...

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
