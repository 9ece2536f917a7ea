"""The history: appended to, followed by readers that skip nothing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Statements, as_json
from mpms.domain.history.events import Cursor, Event, Told
from mpms.domain.history.kinds import Kinds


class Age:
    """Seconds since it was made, read when it is written into a statement."""

    def __init__(self) -> None:
        self._since_s = time.monotonic()

    def __conform__(self, protocol: object) -> Age:
        return self

    def getquoted(self) -> bytes:
        return b"%.6f" % (time.monotonic() - self._since_s)


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
        self._append(instance_id, actor, (kind, element, task_id, data or {}))

    def append_many(self, instance_id: str, actor: str, lines: Sequence[Line]) -> None:
        """Append (kind, element, task id, data) lines."""
        for line in lines:
            self._append(instance_id, actor, line)

    def _append(self, instance_id: str | None, actor: str, line: Line) -> None:
        """A line tells when it was said, also if it is written later."""
        kind, element, task_id, data = line
        self._kinds.require(kind)
        self._statements.note(Told(kind, actor, instance_id, element, task_id, data))
        self._statements.gather(
            "events_append",
            kind=kind,
            actor=actor,
            instance_id=instance_id,
            element=element,
            task_id=task_id,
            data=as_json(data),
            age_s=Age(),
        )

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
