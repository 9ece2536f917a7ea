"""Lists with many filters, each one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row, as_json, is_uuid
from mpms.adapters.postgres.tasks.tasks import TASK_COLUMNS, form_task
from mpms.domain.incidents.incidents import Incident
from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.camunda7 import (
    DefinitionsWanted,
    IncidentsWanted,
    InstancesWanted,
    ListedDefinition,
    ListedDeployment,
    ListedIncident,
    ListedInstance,
    ListedTask,
    Part,
    TasksWanted,
    Visit,
)

IDS = ("task_ids", "instance_ids")
Wanted = TasksWanted | InstancesWanted | IncidentsWanted | DefinitionsWanted


class Listings(Repository):
    """Reads only."""

    def tasks(
        self, wanted: TasksWanted, part: Part
    ) -> tuple[Sequence[ListedTask], int]:
        rows, total = self._found("listings_tasks", wanted, part)
        return [
            ListedTask(form_task(row[:TASK_COLUMNS]), *row[TASK_COLUMNS:])
            for row in rows
        ], total

    def instances(
        self, wanted: InstancesWanted, part: Part
    ) -> tuple[Sequence[ListedInstance], int]:
        rows, total = self._found("listings_instances", wanted, part)
        return [
            replace(found, status=InstanceStatus(found.status))
            for found in (ListedInstance(*row) for row in rows)
        ], total

    def incidents(
        self, wanted: IncidentsWanted, part: Part
    ) -> tuple[Sequence[ListedIncident], int]:
        rows, total = self._found("listings_incidents", wanted, part)
        return [ListedIncident(Incident(*row[:10]), *row[10:]) for row in rows], total

    def definitions(
        self, wanted: DefinitionsWanted, part: Part
    ) -> tuple[Sequence[ListedDefinition], int]:
        rows, total = self._found("listings_definitions", wanted, part)
        return [ListedDefinition(*row) for row in rows], total

    def deployments(self) -> Sequence[ListedDeployment]:
        rows = self._statements.rows("listings_deployments")
        return [ListedDeployment(*row) for row in rows]

    def instance_of(self, task_id: str) -> str | None:
        if not is_uuid(task_id):
            return None
        row = self._statements.row("listings_instance_of", task_id=task_id)
        return None if row is None else row[0]

    def visits(self, instance_ids: Iterable[str]) -> Sequence[Visit]:
        ids = [one for one in instance_ids if is_uuid(one)]
        rows = self._statements.rows("listings_visits", instance_ids=ids)
        return [Visit(*row) for row in rows]

    def waiting(
        self, event: str, variables: dict[str, Any], *, business_key: str | None
    ) -> Sequence[str]:
        rows = self._statements.rows(
            "listings_waiting",
            event=event,
            variables=as_json(variables),
            business_key=business_key,
        )
        return [row[0] for row in rows]

    def _found(
        self, statement: str, wanted: Wanted, part: Part
    ) -> tuple[list[Row], int]:
        """Beyond the end of a list its length is asked for by itself."""
        given = _given(wanted)
        rows = self._statements.rows(statement, **given, **asdict(part))
        if rows:
            return [row[:-1] for row in rows], rows[0][-1]
        if part.offset or part.limit == 0:
            first = Part(limit=1)
            rows = self._statements.rows(statement, **given, **asdict(first))
        return [], rows[0][-1] if rows else 0


def _given(wanted: Wanted) -> dict[str, Any]:
    """An id that can be none is of no row."""
    given: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(wanted).items()
    }
    for name in IDS:
        if given.get(name) is not None:
            given[name] = [one for one in given[name] if is_uuid(one)]
    if "variables" in given:
        given["variables"] = as_json(given["variables"] or {})
    parent = given.get("parent_id")
    if parent is not None and not is_uuid(parent):
        given["instance_ids"], given["parent_id"] = [], None
    return given
