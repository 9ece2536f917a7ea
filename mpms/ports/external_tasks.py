"""The queue as workers of others see it, and which topics they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from mpms.domain.external_tasks import ExternalTask, TaskFilter, WantedTopic


class ExternalTasks(Protocol):
    """Rows of ``jobs`` and ``fetched_topics``; workers are named as leases do it."""

    def claim(
        self, wanted: Sequence[WantedTopic], *, worker: str, limit: int
    ) -> list[ExternalTask]:
        """Lease due jobs, also those whose lease ran out."""
        ...

    def due_topics(self, topics: Iterable[str], *, most: int) -> dict[str, int]:
        """How many of their jobs can be leased now, counted up to a limit; topics
        without one are missing."""
        ...

    def get(self, task_id: str) -> ExternalTask | None: ...
    def find(
        self, which: TaskFilter, *, limit: int | None = None, offset: int = 0
    ) -> list[ExternalTask]: ...
    def count(self, which: TaskFilter) -> int: ...
    def lease(self, job_id: int, *, worker: str, lease_s: float) -> bool:
        """Lease one job; False if somebody else has it."""
        ...

    def extend(self, job_id: int, *, worker: str, lease_s: float) -> bool:
        """Lengthen a lease; False if it is over or not this worker's."""
        ...

    def release(self, job_id: int, *, worker: str) -> bool: ...
    def remember(self, job_id: int, *, retries: int, details: str | None) -> None:
        """What a worker told of a failure."""
        ...

    def set_retries(self, job_id: int, retries: int) -> None: ...
    def note_topics(self, topics: Iterable[str], *, worker: str) -> None:
        """Somebody asks for them."""
        ...

    def topics(self, *, within_s: float) -> frozenset[str]:
        """What somebody has asked for lately."""
        ...
