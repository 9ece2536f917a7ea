"""Open forms and the answers given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from mpms.domain.instances.instances import Instance
from mpms.domain.tasks import FormAnswer, FormTask, PastTask


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
    def variables(self, instance_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """What the forms of these instances see; their own inputs hide it."""
        ...

    def past(self, task_id: str, instance_id: str | None = None) -> PastTask | None:
        """A form that waited once; None if there never was one."""
        ...
