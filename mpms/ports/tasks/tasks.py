"""Open forms and the answers given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.instances.instances import Instance
from mpms.domain.tasks import (
    FormAnswer,
    FormTask,
    OverdueTask,
    PastTask,
    TaskComment,
)


class Tasks(Protocol):
    """Open forms and the answers given."""

    def get(self, task_id: str) -> FormTask: ...  # TaskGone
    def take(self, task_id: str) -> tuple[FormTask, Instance] | None:
        """An open form that nobody has answered, its instance locked; None also if
        somebody else has that instance now."""
        ...

    def open(
        self, *, groups: Iterable[str] | None = None, instance_id: str | None = None
    ) -> Sequence[FormTask]: ...
    def answer(self, task_id: str) -> FormAnswer | None: ...
    def record(self, answer: FormAnswer) -> None: ...
    def schedule(
        self,
        task_id: str,
        due_at: datetime | None,
        follow_up_at: datetime | None,
        priority: int,
    ) -> None: ...
    def offer(self, task_id: str, groups: Sequence[str]) -> None: ...
    def delegate(
        self, task_id: str, *, owner: str | None, to: str | None, resolved: bool
    ) -> None: ...
    def overdue(self, now: datetime, *, kind: str, limit: int) -> Sequence[OverdueTask]:
        """Forms that are late and of which no open incident of this kind tells."""
        ...

    def add_comment(
        self, task_id: str, instance_id: str, *, by: str, text: str
    ) -> TaskComment: ...
    def comments(self, task_id: str) -> Sequence[TaskComment]:
        """What was said about a form, oldest first; also when it is gone."""
        ...

    def variables(self, instance_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """What the forms of these instances see; their own inputs hide it."""
        ...

    def past(self, task_id: str, instance_id: str | None = None) -> PastTask | None:
        """A form that waited once; None if there never was one."""
        ...
