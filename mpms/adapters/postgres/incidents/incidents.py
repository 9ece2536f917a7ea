"""What needs a person's look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from mpms.adapters.postgres.database.statements import Repository, Row, Statements
from mpms.domain.history.kinds import Kinds
from mpms.domain.incidents.causes import cause_of
from mpms.domain.incidents.incidents import Incident, IncidentFilter
from mpms.domain.jobs import WaitingJob


class Incidents(Repository):
    """Rows of ``incidents``."""

    def __init__(self, statements: Statements, kinds: Kinds) -> None:
        super().__init__(statements)
        self._kinds = kinds

    def open(
        self,
        kind: str,
        message: str,
        *,
        instance_id: str | None = None,
        task_id: str | None = None,
        element: str | None = None,
    ) -> bool:
        """Open one, or renew the message of the one that is open for this task.

        Without a task the one of the same kind and instance is renewed, so that a
        trouble noticed every minute is still one incident. True if it is a new one.
        """
        process = None
        if instance_id is not None:
            place = self._statements.row(
                "incidents_place",
                instance_id=instance_id,
                task_id=task_id,
                element=element,
            )
            process, element = place or (None, element)
        meant = self._kinds.incident(kind)
        row = {
            "kind": kind,
            "message": message,
            "instance_id": instance_id,
            "element": element,
            "cause": cause_of(meant, message, process=process, element=element),
        }
        if task_id is None and self._statements.run(
            "incidents_renew", **row, each=meant.each
        ):
            return False
        opened = self._statements.row("incidents_open", **row, task_id=task_id)
        return bool(opened and opened[0])

    def name_causes(self, limit: int) -> int:
        """Name the causes of incidents that have none yet; how many were named."""
        rows = self._statements.rows("incidents_without_cause", limit=limit)
        if rows:
            self._statements.run(
                "incidents_name",
                ids=[row[0] for row in rows],
                causes=[
                    cause_of(
                        self._kinds.incident(kind),
                        message,
                        process=process,
                        element=element,
                    )
                    for _, kind, message, process, element in rows
                ],
            )
        return len(rows)

    def resolve(
        self,
        *,
        by: str,
        instance_id: str | None = None,
        task_id: str | None = None,
        kind: str | None = None,
    ) -> int:
        """Close what fits all that is given; return how many."""
        if instance_id is None and task_id is None and kind is None:
            raise ValueError("say which incidents are resolved")
        return self._statements.run(
            "incidents_resolve",
            by=by,
            instance_id=instance_id,
            task_id=task_id,
            kind=kind,
        )

    def resolve_with_task(
        self, task_id: str, *, by: str, kind: str | None = None
    ) -> None:
        """Close what is open for a task that waits no longer, of one kind or all."""
        self._statements.gather(
            "incidents_resolve_tasks", task_id=task_id, kind=kind, by=by
        )

    def resolve_served(
        self, topics: Iterable[str], *, kind: str, by: str
    ) -> Sequence[WaitingJob]:
        """Close those of a kind whose job has one of these topics; return the jobs."""
        rows = self._statements.rows(
            "incidents_resolve_served", topics=list(topics), kind=kind, by=by
        )
        return [WaitingJob(*row) for row in rows]

    def close(self, incident_id: int, *, by: str) -> bool:
        """A person has dealt with it; False if it is not open."""
        row = self._statements.row("incidents_close", incident_id=incident_id, by=by)
        return row is not None

    def get(self, incident_id: int) -> Incident | None:
        """An open one."""
        row = self._statements.row("incidents_get", id=incident_id)
        return None if row is None else self._incident(row)

    def find(self, which: IncidentFilter) -> Sequence[Incident]:
        """Open ones of instances that fit all that is given, oldest first."""
        rows = self._statements.rows("incidents_find", **asdict(which))
        return [self._incident(row) for row in rows]

    def listing(self, *, instance_id: str | None = None) -> Sequence[Incident]:
        """Open incidents, oldest first."""
        rows = self._statements.rows("incidents_list", instance_id=instance_id)
        return [self._incident(row) for row in rows]

    def _incident(self, row: Row) -> Incident:
        found = Incident(*row)
        return replace(found, outside=self._kinds.incident(found.kind).outside)
