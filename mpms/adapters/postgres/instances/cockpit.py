"""Everything that the cockpit shows about one instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.instances.cockpit import (
    AwaitedRow,
    IncidentRow,
    JobRow,
    Line,
    Relative,
    TimerRow,
    VariableChange,
    WayPart,
)


class CockpitInstance(Repository):
    """Reads only."""

    def jobs(self, instance_id: str) -> Sequence[JobRow]:
        rows = self._statements.rows("cockpit_instance_jobs", id=instance_id)
        return [JobRow(*row) for row in rows]

    def timers(self, instance_id: str) -> Sequence[TimerRow]:
        rows = self._statements.rows("cockpit_instance_timers", id=instance_id)
        return [TimerRow(*row) for row in rows]

    def awaited(self, instance_id: str) -> Sequence[AwaitedRow]:
        rows = self._statements.rows("cockpit_instance_events", id=instance_id)
        return [AwaitedRow(*row) for row in rows]

    def family(self, instance_id: str) -> Sequence[Relative]:
        rows = self._statements.rows("cockpit_instance_family", id=instance_id)
        return [_relative(list(row)) for row in rows]

    def way(self, instance_id: str) -> Sequence[WayPart]:
        rows = self._statements.rows("cockpit_instance_way", id=instance_id)
        return [WayPart(*row) for row in rows]

    def incidents(self, instance_id: str) -> Sequence[IncidentRow]:
        rows = self._statements.rows("cockpit_instance_incidents", id=instance_id)
        return [IncidentRow(*row) for row in rows]

    def changes(
        self,
        instance_id: str,
        *,
        name: str | None = None,
        below: int | None = None,
        limit: int = 100,
    ) -> Sequence[VariableChange]:
        rows = self._statements.rows(
            "cockpit_instance_changes",
            id=instance_id,
            name=name,
            below=below,
            limit=limit,
        )
        found = [_change(row) for row in rows]
        return [change for change in found if name in (None, change.name)]

    def lines(
        self,
        instance_id: str,
        *,
        kinds: Sequence[str] | None = None,
        below: int | None = None,
        limit: int = 100,
    ) -> Sequence[Line]:
        rows = self._statements.rows(
            "cockpit_instance_lines",
            id=instance_id,
            kinds=None if kinds is None else list(kinds),
            below=below,
            limit=limit,
        )
        return [Line(*row) for row in rows]

    def moves(self, instance_id: str, *, limit: int) -> Sequence[Line]:
        rows = self._statements.rows(
            "cockpit_instance_moves", id=instance_id, limit=limit
        )
        return [Line(*row) for row in rows]

    def line(self, instance_id: str, line: int) -> Line | None:
        row = self._statements.row("cockpit_instance_line", id=instance_id, line=line)
        return None if row is None else Line(*row)

    def same_step(self, instance_id: str, line: int) -> Sequence[Line]:
        rows = self._statements.rows(
            "cockpit_instance_same_step", id=instance_id, line=line
        )
        return [Line(*row) for row in rows]

    def undone(self, instance_id: str) -> frozenset[int]:
        rows = self._statements.rows("cockpit_instance_undone", id=instance_id)
        return frozenset(row[0] for row in rows)


def _relative(row: list[Any]) -> Relative:
    row[4] = InstanceStatus(row[4])
    return Relative(*row)


def _change(row: Row) -> VariableChange:
    line, at, actor, element, task_id, data = row
    return VariableChange(
        line,
        at,
        actor,
        element,
        task_id,
        data["name"],
        data.get("old"),
        data.get("new"),
        had_value="old" in data,
        local="local" in data,
    )
