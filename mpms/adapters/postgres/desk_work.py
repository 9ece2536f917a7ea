"""Claims, drafts and late answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from mpms.adapters.postgres.statements import Repository, as_json, is_uuid
from mpms.ports.desk_work import Claim, LateAnswer


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


class LateAnswers(Repository):
    """Rows of ``late_answers``."""

    def add(
        self,
        key: str,
        *,
        task_id: str,
        instance_id: str | None,
        business_key: str | None,
        task_name: str,
        answers: dict[str, Any],
        answered_by: str,
        posted_by: str | None,
        device_at: datetime,
        reason: str,
    ) -> bool:
        """False if this key is there already."""
        return bool(
            self._statements.run(
                "late_answers_add",
                key=key,
                task_id=task_id,
                instance_id=instance_id,
                business_key=business_key,
                task_name=task_name,
                answers=as_json(answers),
                answered_by=answered_by,
                posted_by=posted_by,
                device_at=device_at,
                reason=reason,
            )
        )

    def open(self) -> Sequence[LateAnswer]:
        return [LateAnswer(*row) for row in self._statements.rows("late_answers_open")]

    def get(self, late_id: int) -> LateAnswer | None:
        row = self._statements.row("late_answers_get", late_id=late_id)
        return None if row is None else LateAnswer(*row)

    def decide(self, late_id: int, *, by: str, decision: str) -> bool:
        return bool(
            self._statements.run(
                "late_answers_decide", late_id=late_id, by=by, decision=decision
            )
        )
