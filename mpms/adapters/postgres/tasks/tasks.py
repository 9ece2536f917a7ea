"""Open forms and the answers given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row, as_json, is_uuid
from mpms.adapters.postgres.instances.instances import instance_of
from mpms.domain.errors import TaskGone
from mpms.domain.instances.instances import Instance
from mpms.domain.tasks import (
    FormAnswer,
    FormTask,
    OverdueTask,
    PastTask,
    TaskComment,
)

TASK_COLUMNS = len(fields(FormTask))


class Tasks(Repository):
    """Rows of ``tasks`` and ``answers``."""

    def get(self, task_id: str) -> FormTask:
        row = (
            self._statements.row("tasks_get", task_id=task_id)
            if is_uuid(task_id)
            else None
        )
        if row is None:
            raise TaskGone
        return form_task(row)

    def take(self, task_id: str) -> tuple[FormTask, Instance] | None:
        """An open form that nobody has answered, its instance locked; None also if
        somebody else has that instance now."""
        if not is_uuid(task_id):
            return None
        row = self._statements.row("tasks_take", task_id=task_id)
        return (
            None
            if row is None
            else (
                form_task(row[:TASK_COLUMNS]),
                instance_of(row[TASK_COLUMNS:]),
            )
        )

    def open(
        self, *, groups: Iterable[str] | None = None, instance_id: str | None = None
    ) -> Sequence[FormTask]:
        """Open forms, oldest first; one without groups is for everybody."""
        rows = self._statements.rows(
            "tasks_open",
            groups=None if groups is None else list(groups),
            instance_id=instance_id,
        )
        return [form_task(row) for row in rows]

    def answer(self, task_id: str) -> FormAnswer | None:
        if not is_uuid(task_id):
            return None
        row = self._statements.row("tasks_answer", task_id=task_id)
        return None if row is None else FormAnswer(*row)

    def record(self, answer: FormAnswer) -> None:
        """Keep an answer; where there is one already it stays."""
        self._statements.run_later(
            "tasks_record",
            task_id=answer.task_id,
            instance_id=answer.instance_id,
            element=answer.element,
            answers=as_json(answer.answers),
            answered_by=answer.answered_by,
            answered_at=answer.answered_at,
            key=answer.key,
            device_at=answer.device_at,
        )

    def schedule(
        self,
        task_id: str,
        due_at: datetime | None,
        follow_up_at: datetime | None,
        priority: int,
    ) -> None:
        self._statements.run(
            "tasks_schedule",
            task_id=task_id,
            due_at=due_at,
            follow_up_at=follow_up_at,
            priority=priority,
        )

    def offer(self, task_id: str, groups: Sequence[str]) -> None:
        self._statements.run("tasks_offer", task_id=task_id, groups=list(groups))

    def delegate(
        self, task_id: str, *, owner: str | None, to: str | None, resolved: bool
    ) -> None:
        self._statements.run(
            "tasks_delegate",
            task_id=task_id,
            owner=owner,
            delegate=to,
            resolved=resolved,
        )

    def overdue(self, now: datetime, *, kind: str, limit: int) -> Sequence[OverdueTask]:
        rows = self._statements.rows("tasks_overdue", now=now, kind=kind, limit=limit)
        return [OverdueTask(*row) for row in rows]

    def add_comment(
        self, task_id: str, instance_id: str, *, by: str, text: str
    ) -> TaskComment:
        row = self._statements.row(
            "task_comments_add",
            task_id=task_id,
            instance_id=instance_id,
            login=by,
            text=text,
        )
        assert row is not None  # noqa: S101 - it returns what it wrote
        return TaskComment(*row)

    def comments(self, task_id: str) -> Sequence[TaskComment]:
        """What was said about a form, oldest first; also when it is gone."""
        if not is_uuid(task_id):
            return []
        rows = self._statements.rows("task_comments_of", task_id=task_id)
        return [TaskComment(*row) for row in rows]

    def variables(self, instance_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """What the forms of these instances see; their own inputs hide it."""
        rows = self._statements.rows("tasks_variables", instance_ids=list(instance_ids))
        return dict(rows)

    def past(self, task_id: str, instance_id: str | None = None) -> PastTask | None:
        """A form that waited once; None if there never was one."""
        if not is_uuid(task_id) or not is_uuid(instance_id or task_id):
            return None
        row = self._statements.row(
            "tasks_past", task_id=task_id, instance_id=instance_id
        )
        return None if row is None else PastTask(*row)


def form_task(row: Row) -> FormTask:
    """From the columns in the order of the record's fields."""
    found = FormTask(*row)
    return replace(found, groups=tuple(found.groups))
