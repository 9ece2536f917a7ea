"""Answers that came when the task was gone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.ports.tasks.late_answers import LateAnswer, Waiting


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

    def waiting(self, task_id: str, answered_by: str, *, but: str) -> Waiting:
        row = self._statements.row(
            "late_answers_waiting", task_id=task_id, answered_by=answered_by, but=but
        )
        assert row is not None  # noqa: S101
        return Waiting(*row)

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
