"""Due times."""

from __future__ import annotations

from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.adapters.postgres.instances.instances import instance_of
from mpms.domain.instances.instances import Instance


class Timers(Repository):
    """Rows of ``timers``."""

    def claim_due(self, now: datetime, most: int) -> list[tuple[Instance, str]]:
        """Due timers of free instances, both locked: the instance and the task id."""
        rows = self._statements.claim("timers_claim_due", now=now, most=most)
        return [(instance_of(row[1:]), row[0]) for row in rows]
