"""The facts that the health is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class DatabaseFacts:
    """What the database says of itself."""

    version: str
    size_bytes: int


QUEUES = ("job", "timer", "delivery", "webhook", "batch")


class Vitals(Protocol):
    """Facts of which the health of the plant is judged."""

    def database(self) -> DatabaseFacts: ...
    def queues(self) -> Mapping[str, datetime | None]:
        """Since when the oldest of each queue could have been done; None: none waits.

        Those of ``QUEUES`` and of plug-ins.
        """
        ...
