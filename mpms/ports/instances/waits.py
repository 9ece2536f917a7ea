"""What instances wait for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from mpms.domain.instances.steps import EventWait, FormWait, JobWait, TimerWait, Wait


class Waits(Protocol):
    """What instances wait for: the live rows of tasks, jobs, timers, subscriptions."""

    def known(self, instance_id: str) -> set[str]:
        """Task ids that have a row of any kind (child instances included)."""
        ...

    def open_form(self, instance_id: str, wait: FormWait) -> None: ...
    def open_job(self, instance_id: str, wait: JobWait) -> None: ...
    def open_timer(self, instance_id: str, wait: TimerWait) -> None: ...
    def open_subscription(self, instance_id: str, wait: EventWait) -> None: ...
    def refresh(self, instance_id: str, wait: Wait) -> None:
        """Tell what a task waits for after a repair; its row and id stay."""
        ...

    def move_timer(self, task_id: str, due_at: datetime) -> None: ...
    def close_waits(self, instance_id: str, waits: Iterable[Wait]) -> None:
        """Delete the rows of tasks that no longer wait."""
        ...

    def close(self, instance_id: str, task_ids: Iterable[str]) -> None:
        """Delete the rows of tasks that no longer wait, whatever their kind."""
        ...
