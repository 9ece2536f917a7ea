"""What needs a person's look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from mpms.adapters.postgres.statements import Repository
from mpms.domain.incidents import Incident, IncidentFilter


class Incidents(Repository):
    """Rows of ``incidents``."""

    def open(
        self,
        kind: str,
        message: str,
        *,
        instance_id: str | None = None,
        task_id: str | None = None,
        element: str | None = None,
    ) -> None:
        """Open one, or renew the message of the one that is open for this task.

        Without a task the one of the same kind and instance is renewed, so that a
        trouble noticed every minute is still one incident.
        """
        if task_id is None and self._statements.run(
            "incidents_renew",
            kind=kind,
            message=message,
            instance_id=instance_id,
            element=element,
        ):
            return
        self._statements.run(
            "incidents_open",
            kind=kind,
            message=message,
            instance_id=instance_id,
            task_id=task_id,
            element=element,
        )

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

    def close(self, incident_id: int, *, by: str) -> bool:
        """A person has dealt with it; False if it is not open."""
        row = self._statements.row("incidents_close", incident_id=incident_id, by=by)
        return row is not None

    def get(self, incident_id: int) -> Incident | None:
        """An open one."""
        row = self._statements.row("incidents_get", id=incident_id)
        return None if row is None else Incident(*row)

    def find(self, which: IncidentFilter) -> Sequence[Incident]:
        """Open ones of instances that fit all that is given, oldest first."""
        rows = self._statements.rows("incidents_find", **asdict(which))
        return [Incident(*row) for row in rows]

    def listing(self, *, instance_id: str | None = None) -> Sequence[Incident]:
        """Open incidents, oldest first."""
        rows = self._statements.rows("incidents_list", instance_id=instance_id)
        return [Incident(*row) for row in rows]
