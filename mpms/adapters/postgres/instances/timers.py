"""Due times."""

from __future__ import annotations

from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository


class Timers(Repository):
    """Rows of ``timers``."""

    def claim_due(self, now: datetime, most: int) -> list[tuple[str, str]]:
        """Due timers of free instances, locked: (instance id, task id)."""
        rows = self._statements.claim("timers_claim_due", now=now, most=most)
        return [(instance_id, task_id) for instance_id, task_id in rows]
