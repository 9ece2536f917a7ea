"""Due times."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from mpms.domain.instances.instances import Instance


class Timers(Protocol):
    """Due times."""

    def claim_due(self, now: datetime, most: int) -> list[tuple[Instance, str]]:
        """Due timers of free instances, both locked: the instance and the task id."""
        ...
