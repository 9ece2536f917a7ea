"""What needs a person's look: a stuck element, a job that failed for good."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Incident:
    """One open or resolved row of ``incidents``."""

    id: int
    kind: str  # stuck, job, topic, ...; see kinds.py
    message: str
    opened_at: datetime
    instance_id: str | None = None
    task_id: str | None = None
    element: str | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    cause: str = ""
    outside: bool = False  # nothing of ours can be tried again

    @property
    def retryable(self) -> bool:
        return self.task_id is not None and not self.outside


@dataclass(frozen=True)
class IncidentFilter:
    """Which open incidents are meant; what is None does not matter."""

    kind: str | None = None
    text: str | None = None  # a part of the message, in whatever case
    element: str | None = None
    key: str | None = None  # of the process
    opened_before: datetime | None = None
    cause: str | None = None
