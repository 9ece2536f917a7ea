"""Answers that are not finished."""

from __future__ import annotations

from typing import Any

from mpms.adapters.postgres.database.statements import Repository, as_json, is_uuid


class Drafts(Repository):
    """Rows of ``drafts``."""

    def save(self, task_id: str, field: str, value: Any, *, by: str) -> bool:
        """False if the task no longer waits."""
        return is_uuid(task_id) and bool(
            self._statements.run(
                "drafts_save", task_id=task_id, field=field, value=as_json(value), by=by
            )
        )

    def of(self, task_id: str) -> dict[str, Any]:
        rows = self._statements.rows("drafts_of", task_id=task_id)
        return {str(field): value for field, value in rows}
