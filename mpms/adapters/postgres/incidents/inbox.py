"""Incidents by cause, and what people say about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import quote

from mpms.adapters.postgres.database.statements import Repository, Row, Statements
from mpms.domain.history.kinds import Kinds
from mpms.ports.incidents.inbox import (
    AlarmCounts,
    CauseComment,
    CauseFilter,
    CauseIncident,
    CauseRow,
    Undecided,
)


class Inbox(Repository):
    """Rows of ``incidents`` and ``incident_comments``."""

    def __init__(self, statements: Statements, kinds: Kinds) -> None:
        super().__init__(statements)
        self._outside = sorted(kinds.outside)
        self._decisions = [each.forms for each in kinds.decisions]

    def causes(self, wanted: CauseFilter, *, limit: int) -> Sequence[CauseRow]:
        rows = self._statements.rows(
            "inbox_causes", **asdict(wanted), outside=self._outside, limit=limit
        )
        return [_cause(row) for row in rows]

    def alarm_counts(self) -> AlarmCounts:
        row = self._statements.row("inbox_alarm_counts", decisions=self._decisions)
        assert row is not None  # noqa: S101
        undecided = tuple(Undecided(*r) for r in self._statements.added("undecided"))
        stopped, late_answers, causes = row
        return AlarmCounts(stopped, late_answers, undecided, causes)

    def count(self, wanted: CauseFilter) -> tuple[int, int]:
        row = self._statements.row("inbox_count", **asdict(wanted))
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    def choices(self) -> Sequence[tuple[str, str, str]]:
        rows = self._statements.rows("inbox_choices")
        return [(kind, process, element) for kind, process, element in rows]

    def incidents(
        self, cause: str, *, after: int | None, limit: int
    ) -> Sequence[CauseIncident]:
        return self._incidents("inbox_incidents", cause=cause, after=after, limit=limit)

    def settled(self, cause: str, *, limit: int) -> Sequence[CauseIncident]:
        return self._incidents("inbox_settled", cause=cause, limit=limit)

    def assign(self, cause: str, login: str | None) -> int:
        return self._statements.run("inbox_assign", cause=cause, login=login)

    def close(self, cause: str, *, by: str) -> Sequence[CauseIncident]:
        return self._incidents("inbox_close", cause=cause, by=by, outside=self._outside)

    def comment(self, cause: str, text: str, *, by: str) -> None:
        self._statements.run("inbox_comment", cause=cause, text=text, by=by)

    def comments(self, cause: str) -> Sequence[CauseComment]:
        rows = self._statements.rows("inbox_comments", cause=cause)
        return [CauseComment(*row) for row in rows]

    def _incidents(self, name: str, **parameters: Any) -> list[CauseIncident]:
        rows = self._statements.rows(name, **parameters)
        found = [CauseIncident(*row) for row in rows]
        keys = sorted({one.business_key for one in found if one.business_key})
        pages: dict[str | None, str] = dict(self._statements.added("pages", keys=keys))
        return [
            replace(one, page=pages[key].format(key=quote(key, safe="")))
            if (key := one.business_key) in pages and key
            else one
            for one in found
        ]


def _cause(row: Row) -> CauseRow:
    head, (places, assignees, comments, keys, last_id) = row[:8], row[8:]
    touched = tuple((process, element) for process, element in places)
    return CauseRow(
        *head,  # type: ignore[call-arg]
        touched,
        tuple(assignees or ()),
        comments,
        tuple(keys or ()),
        last_id,
    )
