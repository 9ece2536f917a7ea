"""The history by instances, for process mining."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.domain.history.cases import CaseHead, Part, Thing
from mpms.domain.history.events import Cursor, Event
from mpms.ports.history.cases import CasePlace


class Cases(Repository):
    """Rows of ``instances`` with their rows of ``events``."""

    def count(self, key: str, *, since: datetime, until: datetime, limit: int) -> int:
        row = self._statements.row(
            "cases_count", key=key, since=since, until=until, limit=limit
        )
        return int(row[0]) if row else 0

    def heads(
        self,
        key: str,
        *,
        since: datetime,
        until: datetime,
        above: CasePlace | None,
        limit: int,
    ) -> Sequence[CaseHead]:
        at, after = above or (None, None)
        rows = self._statements.rows(
            "cases_heads",
            **{"key": key, "since": since, "until": until, "limit": limit},
            above_at=at,
            above_id=after,
        )
        return [CaseHead(str(row[0]), *row[1:]) for row in rows]

    def lines(
        self, instance_ids: Sequence[str], *, kinds: Sequence[str], limit: int
    ) -> Mapping[str, Sequence[Event]]:
        return self._lines("cases_lines", instance_ids, kinds, limit)

    def happened(
        self, instance_ids: Sequence[str], *, kinds: Sequence[str], limit: int
    ) -> Mapping[str, Sequence[Event]]:
        return self._lines("cases_happened", instance_ids, kinds, limit)

    def _lines(
        self, statement: str, ids: Sequence[str], kinds: Sequence[str], limit: int
    ) -> Mapping[str, Sequence[Event]]:
        found: dict[str, list[Event]] = {}
        rows = self._statements.rows(
            statement, ids=list(ids), kinds=list(kinds), limit=limit
        )
        for transaction, line, *said in rows:
            event = Event(Cursor(transaction, line), *said)
            found.setdefault(event.instance_id or "", []).append(event)
        return found

    def paths(
        self, instance_ids: Sequence[str], *, elements: Sequence[str], limit: int
    ) -> Mapping[str, Sequence[str]]:
        rows = self._statements.rows(
            "cases_paths", ids=list(instance_ids), elements=list(elements), limit=limit
        )
        return {instance_id: way for instance_id, way in rows}

    def things(self, instance_ids: Sequence[str]) -> Mapping[str, Sequence[Thing]]:
        found: dict[str, list[Thing]] = {}
        for instance_id, kind, name, part, task_id in self._statements.added(
            "things", ids=list(instance_ids)
        ):
            thing = Thing(kind, name, Part(part), task_id)
            found.setdefault(instance_id, []).append(thing)
        return found
