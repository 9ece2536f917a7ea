"""What instances wait for: the live rows of tasks, jobs, timers, subscriptions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.domain.instances.steps import EventWait, FormWait, JobWait, TimerWait, Wait


class Waits(Repository):
    """Rows that the step of an instance opens and closes, under its lock."""

    def known(self, instance_id: str) -> set[str]:
        """Task ids that have a row of any kind (child instances included)."""
        rows = self._statements.rows("waits_known", instance_id=instance_id)
        return {task_id for (task_id,) in rows}

    def open_form(self, instance_id: str, wait: FormWait) -> None:
        self._statements.run(
            "waits_open_form",
            task_id=wait.task_id,
            instance_id=instance_id,
            element=wait.element,
            name=wait.name,
            lane=wait.lane,
            form=wait.form,
            assignee=wait.assignee,
            groups=list(wait.groups),
            inputs=as_json(wait.inputs),
        )

    def open_job(self, instance_id: str, wait: JobWait) -> None:
        self._statements.run(
            "waits_open_job",
            task_id=wait.task_id,
            instance_id=instance_id,
            element=wait.element,
            topic=wait.topic,
            inputs=None if wait.inputs is None else as_json(wait.inputs),
            retry_delays_s=list(wait.retry_delays_s),
        )

    def open_timer(self, instance_id: str, wait: TimerWait) -> None:
        self._statements.run(
            "waits_open_timer",
            task_id=wait.task_id,
            instance_id=instance_id,
            element=wait.element,
            due_at=wait.due_at,
        )

    def open_subscription(self, instance_id: str, wait: EventWait) -> None:
        self._statements.run(
            "waits_open_subscription",
            task_id=wait.task_id,
            instance_id=instance_id,
            element=wait.element,
            kind=wait.kind,
            event=wait.event,
            correlation=wait.correlation,
        )

    def refresh(self, instance_id: str, wait: Wait) -> None:
        """Tell what a task waits for after a repair; its row and id stay."""
        row = {"instance_id": instance_id, "task_id": wait.task_id}
        match wait:
            case FormWait():
                self._statements.run(
                    "waits_refresh_form",
                    **row,
                    element=wait.element,
                    name=wait.name,
                    lane=wait.lane,
                    form=wait.form,
                    assignee=wait.assignee,
                    groups=list(wait.groups),
                    inputs=as_json(wait.inputs),
                )
            case JobWait():
                self._statements.run(
                    "waits_refresh_job",
                    **row,
                    element=wait.element,
                    topic=wait.topic,
                    inputs=None if wait.inputs is None else as_json(wait.inputs),
                    retry_delays_s=list(wait.retry_delays_s),
                )
            case TimerWait():
                self._statements.run("waits_refresh_timer", **row, element=wait.element)
            case EventWait():
                self._statements.run(
                    "waits_refresh_subscription",
                    **row,
                    element=wait.element,
                    kind=wait.kind,
                    event=wait.event,
                    correlation=wait.correlation,
                )

    def move_timer(self, task_id: str, due_at: datetime) -> None:
        self._statements.run("waits_move_timer", task_id=task_id, due_at=due_at)

    def close(self, instance_id: str, task_ids: Iterable[str]) -> None:
        """Delete the rows of tasks that no longer wait, whatever their kind."""
        if ids := list(task_ids):
            self._statements.run_later("waits_close", instance_id=instance_id, ids=ids)
