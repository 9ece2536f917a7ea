"""The facts that the health is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class DatabaseFacts:
    """What the database says of itself."""

    version: str
    size_bytes: int


@dataclass(frozen=True)
class QueueAges:
    """Since when the oldest of each queue could have been done; None: none waits."""

    job: datetime | None = None
    timer: datetime | None = None
    delivery: datetime | None = None
    reply: datetime | None = None
    webhook: datetime | None = None
    batch: datetime | None = None


class Vitals(Protocol):
    """Facts of which the health of the plant is judged."""

    def database(self) -> DatabaseFacts: ...
    def queues(self) -> QueueAges: ...
