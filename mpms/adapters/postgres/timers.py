"""Due times."""

from __future__ import annotations

from datetime import datetime

from mpms.adapters.postgres.statements import Repository


class Timers(Repository):
    """Rows of ``timers``."""

    def claim_due(self, now: datetime) -> tuple[str, str] | None:
        """One due timer of a free instance, locked: (instance id, task id)."""
        rows = self._statements.claim("timers_claim_due", now=now)
        if not rows:
            return None
        instance_id, task_id = rows[0]
        return instance_id, task_id

    def next_due_at(self) -> datetime | None:
        row = self._statements.row("timers_next_due_at")
        return row[0] if row else None
