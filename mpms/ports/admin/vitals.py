"""The facts that decide the health."""

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
    """Facts that decide the health of the plant."""

    def database(self) -> DatabaseFacts: ...
    def queues(self) -> Mapping[str, datetime | None]:
        """Since when the oldest of each queue could have been done; None: none waits.

        Those of ``QUEUES`` and of plug-ins.
        """
        ...
