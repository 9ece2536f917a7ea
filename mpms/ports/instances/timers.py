"""Due times."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Timers(Protocol):
    """Due times."""

    def claim_due(self, now: datetime, most: int) -> list[tuple[str, str]]:
        """Due timers of free instances, locked: (instance id, task id)."""
        ...
