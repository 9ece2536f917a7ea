"""Who works on a task."""

from __future__ import annotations

from collections.abc import Iterable

from mpms.adapters.postgres.database.statements import Repository, is_uuid
from mpms.ports.tasks.claims import Claim


class Claims(Repository):
    """Rows of ``claims``."""

    def take(self, task_id: str, login: str) -> bool:
        """False if somebody else has it; True again for the one who has it."""
        return is_uuid(task_id) and (
            self._statements.row("claims_take", task_id=task_id, login=login)
            is not None
        )

    def give_back(self, task_id: str, login: str | None = None) -> bool:
        return is_uuid(task_id) and bool(
            self._statements.run("claims_give_back", task_id=task_id, login=login)
        )

    def of(self, task_ids: Iterable[str]) -> dict[str, Claim]:
        rows = self._statements.rows("claims_of", task_ids=list(task_ids))
        return {row[0]: Claim(*row) for row in rows}
