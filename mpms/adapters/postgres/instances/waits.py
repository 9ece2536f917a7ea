"""What instances wait for: the live rows of tasks, jobs, timers, subscriptions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.domain.instances.steps import (
    CallWait,
    EventWait,
    FormWait,
    JobWait,
    TimerWait,
    Wait,
)


class Kind(NamedTuple):
    """The statements for one kind of wait."""

    opening: str
    closing: str


STATEMENTS: dict[type[Wait], Kind] = {
    FormWait: Kind("waits_open_forms", "waits_close_forms"),
    JobWait: Kind("waits_open_jobs", "waits_close_jobs"),
    TimerWait: Kind("waits_open_timers", "waits_close_timers"),
    EventWait: Kind("waits_open_subscriptions", "waits_close_subscriptions"),
    CallWait: Kind("instances_insert", "waits_close_calls"),  # opened with its child
}


class Waits(Repository):
    """Rows that the step of an instance opens and closes, under its lock."""

    def known(self, instance_id: str) -> set[str]:
        """Task ids that have a row of any kind (child instances included)."""
        rows = self._statements.rows("waits_known", instance_id=instance_id)
        return {task_id for (task_id,) in rows}

    def open_form(self, instance_id: str, wait: FormWait) -> None:
        self._statements.gather(
            "waits_open_forms",
            task_id=wait.task_id,
            instance_id=instance_id,
            element=wait.element,
            name=wait.name,
            lane=wait.lane,
            form=wait.form,
            assignee=wait.assignee,
            groups=as_json(list(wait.groups)),
            inputs=as_json(wait.inputs),
            **_when(wait),
        )

    def open_job(self, instance_id: str, wait: JobWait) -> None:
        self._statements.gather(
            "waits_open_jobs",
            task_id=wait.task_id,
            instance_id=instance_id,
            element=wait.element,
            topic=wait.topic,
            inputs=None if wait.inputs is None else as_json(wait.inputs),
            retry_delays_s=as_json(list(wait.retry_delays_s)),
            priority=wait.priority,
        )

    def open_timer(self, instance_id: str, wait: TimerWait) -> None:
        self._statements.gather(
            "waits_open_timers",
            task_id=wait.task_id,
            instance_id=instance_id,
            element=wait.element,
            due_at=wait.due_at,
        )

    def open_subscription(self, instance_id: str, wait: EventWait) -> None:
        self._statements.gather(
            "waits_open_subscriptions",
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
                self._statements.run_later(
                    "waits_refresh_form",
                    **row,
                    element=wait.element,
                    name=wait.name,
                    lane=wait.lane,
                    form=wait.form,
                    assignee=wait.assignee,
                    groups=list(wait.groups),
                    inputs=as_json(wait.inputs),
                    **_when(wait),
                )
            case JobWait():
                self._statements.run_later(
                    "waits_refresh_job",
                    **row,
                    element=wait.element,
                    topic=wait.topic,
                    inputs=None if wait.inputs is None else as_json(wait.inputs),
                    retry_delays_s=list(wait.retry_delays_s),
                    priority=wait.priority,
                )
            case TimerWait():
                self._statements.run_later(
                    "waits_refresh_timer", **row, element=wait.element
                )
            case EventWait():
                self._statements.run_later(
                    "waits_refresh_subscription",
                    **row,
                    element=wait.element,
                    kind=wait.kind,
                    event=wait.event,
                    correlation=wait.correlation,
                )

    def move_timer(self, task_id: str, due_at: datetime) -> None:
        self._statements.run("waits_move_timer", task_id=task_id, due_at=due_at)

    def close_waits(self, instance_id: str, waits: Iterable[Wait]) -> None:
        """Delete the rows of tasks that no longer wait; what was opened in this
        transaction and is not written yet never is."""
        others = []
        for wait in waits:
            known = STATEMENTS.get(type(wait))
            if known is None:
                others.append(wait.task_id)
            elif not self._statements.ungather(known.opening, "task_id", wait.task_id):
                self._statements.gather(known.closing, task_id=wait.task_id)
        self.close(instance_id, others)

    def close(self, instance_id: str, task_ids: Iterable[str]) -> None:
        """Delete the rows of tasks, whatever their kind."""
        if ids := list(task_ids):
            self._statements.run_later("waits_close", instance_id=instance_id, ids=ids)


def _when(wait: FormWait) -> dict[str, Any]:
    return {
        "due_at": wait.due_at,
        "follow_up_at": wait.follow_up_at,
        "priority": wait.priority,
    }
