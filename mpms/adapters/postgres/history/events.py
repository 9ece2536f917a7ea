"""The history: appended to, followed by readers that skip nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Statements, as_json
from mpms.domain.history.events import Cursor, Event
from mpms.domain.history.kinds import Kinds

Line = tuple[str, str | None, str | None, dict[str, Any]]


class Events(Repository):
    """Rows of ``events``; only kinds that are known can be written."""

    def __init__(self, statements: Statements, kinds: Kinds) -> None:
        super().__init__(statements)
        self._kinds = kinds

    def append(
        self,
        kind: str,
        *,
        actor: str,
        instance_id: str | None = None,
        element: str | None = None,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        self._kinds.require(kind)
        line = (kind, element, task_id, data or {})
        self._statements.run("events_append", **_written(instance_id, actor, [line]))

    def append_many(self, instance_id: str, actor: str, lines: Sequence[Line]) -> None:
        """Append (kind, element, task id, data) lines in one statement."""
        for kind, _, _, _ in lines:
            self._kinds.require(kind)
        if lines:
            written = _written(instance_id, actor, lines)
            self._statements.run_later("events_append", **written)

    def after(
        self, cursor: Cursor, *, limit: int = 500, instance_id: str | None = None
    ) -> Sequence[Event]:
        """Lines that are certain to have no earlier line still uncommitted."""
        rows = self._statements.rows(
            "events_after",
            transaction=cursor.transaction,
            line=cursor.line,
            limit=limit,
            instance_id=instance_id,
        )
        return [Event(Cursor(row[0], row[1]), *row[2:]) for row in rows]

    def last(self, limit: int) -> Sequence[Event]:
        """The newest of the lines that ``after`` gives, oldest first."""
        rows = self._statements.rows("events_last", limit=limit)
        return [Event(Cursor(row[0], row[1]), *row[2:]) for row in rows]

    def held(self, known: Iterable[int], *, limit: int = 500) -> Sequence[Event]:
        """Committed lines that ``after`` keeps back, without the known ones."""
        rows = self._statements.rows("events_held", known=list(known), limit=limit)
        return [Event(Cursor(row[0], row[1]), *row[2:]) for row in rows]

    def passed(self, instance_id: str) -> set[str]:
        """The elements that tokens of an instance have left."""
        rows = self._statements.rows("events_passed", instance_id=instance_id)
        return {str(row[0]) for row in rows}


def _written(
    instance_id: str | None, actor: str, lines: Sequence[Line]
) -> dict[str, Any]:
    return {
        "actor": actor,
        "instance_id": instance_id,
        "kinds": [kind for kind, _, _, _ in lines],
        "elements": [element for _, element, _, _ in lines],
        "task_ids": [task_id for _, _, task_id, _ in lines],
        "data": [as_json(data) for _, _, _, data in lines],
    }
