"""Rows by the numbers that clients of Camunda 8 know them by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, TypeVar

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.domain.camunda8 import (
    COUNTED,
    DefinitionsWanted,
    Found,
    IncidentsWanted,
    InstancesWanted,
    NumberedDefinition,
    NumberedIncident,
    NumberedInstance,
    NumberedTask,
    NumberedVersion,
    Page,
    TasksWanted,
)
from mpms.domain.errors import InstanceUnknown
from mpms.domain.instances.instances import InstanceStatus

Seen = TypeVar("Seen")


class Numbered(Repository):
    """Rows of several tables; it changes none of them."""

    def loose(self) -> int:
        (row,) = self._statements.rows("numbered_loose")
        return int(row[0])

    def instance_id(self, number: int) -> str | None:
        return next(iter(self.instance_ids((number,))), None)

    def instance_ids(self, numbers: Iterable[int]) -> list[str]:
        rows = self._statements.rows("numbered_instance_ids", numbers=list(numbers))
        return [str(row[0]) for row in rows]

    def instance_number(self, instance_id: str) -> int:
        row = self._statements.row("numbered_instance_number", id=instance_id)
        if row is None:
            raise InstanceUnknown
        return int(row[0])

    def job_task(self, number: int) -> tuple[str, str] | None:
        row = self._statements.row("numbered_jobs", numbers=[number])
        return None if row is None else (str(row[0]), str(row[1]))

    def job_tasks(self, numbers: Iterable[int]) -> list[str]:
        rows = self._statements.rows("numbered_jobs", numbers=list(numbers))
        return [str(row[1]) for row in rows]

    def form_task(self, number: int) -> tuple[str, str] | None:
        row = self._statements.row("numbered_form", number=number)
        return None if row is None else (str(row[0]), str(row[1]))

    def definitions(
        self, wanted: DefinitionsWanted, page: Page
    ) -> Found[NumberedDefinition]:
        return self._found(
            "numbered_definitions", wanted, page, lambda row: NumberedDefinition(*row)
        )

    def instances(self, wanted: InstancesWanted, page: Page) -> Found[NumberedInstance]:
        return self._found("numbered_instances", wanted, page, _instance)

    def tasks(self, wanted: TasksWanted, page: Page) -> Found[NumberedTask]:
        return self._found("numbered_tasks", wanted, page, _task)

    def incidents(self, wanted: IncidentsWanted, page: Page) -> Found[NumberedIncident]:
        return self._found("numbered_incidents", wanted, page, _incident)

    def forms(self, keys: Iterable[str]) -> list[NumberedVersion]:
        rows = self._statements.rows("numbered_forms", keys=list(keys))
        return [NumberedVersion(*row) for row in rows]

    def decisions(self, keys: Iterable[str]) -> list[NumberedVersion]:
        rows = self._statements.rows("numbered_decisions", keys=list(keys))
        return [NumberedVersion(*row) for row in rows]

    def _found(
        self, statement: str, wanted: Any, page: Page, seen: Callable[[Row], Seen]
    ) -> Found[Seen]:
        given = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(wanted).items()
        }
        rows = self._statements.rows(
            statement,
            **given,
            newest_first=page.newest_first,
            limit=page.limit,
            offset=page.offset,
            counted=COUNTED + 1,
        )
        return Found([seen(row[1:]) for row in rows if row[1] is not None], rows[0][0])


def _instance(row: Row) -> NumberedInstance:
    number, id_, *definition = row[:6]
    business_key, status, started_at, ended_at, parent, incidents = row[6:]
    return NumberedInstance(
        number=number,
        id=str(id_),
        definition=NumberedDefinition(*definition),
        business_key=business_key,
        status=InstanceStatus(status),
        started_at=started_at,
        ended_at=ended_at,
        parent_number=parent,
        incidents=incidents,
    )


def _task(row: Row) -> NumberedTask:
    number, task_id, instance_id, instance_number, *definition = row[:8]
    element, name, assignee, groups, form, form_number, created_at = row[8:15]
    due_at, follow_up_at, priority = row[15:]
    return NumberedTask(
        number=number,
        id=str(task_id),
        instance_id=str(instance_id),
        instance_number=instance_number,
        definition=NumberedDefinition(*definition),
        element=element,
        name=name,
        assignee=assignee,
        groups=tuple(groups),
        form=form,
        form_number=form_number,
        created_at=created_at,
        due_at=due_at,
        follow_up_at=follow_up_at,
        priority=priority,
    )


def _incident(row: Row) -> NumberedIncident:
    number, kind, message, opened_at, instance_number, *definition = row[:9]
    element, job_number, task_number = row[9:]
    return NumberedIncident(
        number=number,
        kind=kind,
        message=message,
        opened_at=opened_at,
        instance_number=instance_number,
        definition=NumberedDefinition(*definition),
        element=element,
        job_number=job_number,
        task_number=task_number,
    )
