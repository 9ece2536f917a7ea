"""How long the past is kept, and what was deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.ports.history.retention import HistoryRun, Kept


class Retention(Repository):
    """Rows of ``retention`` and ``history_runs``."""

    def kept(self) -> Kept | None:
        row = self._statements.row("retention_get")
        return None if row is None else Kept(*row)

    def keep(self, days: int | None, *, by: str) -> None:
        self._statements.run("retention_set", keep_days=days, by=by)

    def ask(self, before: datetime, *, reason: str, by: str) -> int | None:
        row = self._statements.row("retention_ask", before=before, reason=reason, by=by)
        return None if row is None else int(row[0])

    def asked_lately(self, by: str, *, hours: int) -> bool:
        return self._statements.row("retention_asked_lately", by=by, hours=hours) == (
            True,
        )

    def take(self, worker: str, *, silent_s: float) -> HistoryRun | None:
        row = self._statements.row("retention_take", worker=worker, silent_s=silent_s)
        return None if row is None else HistoryRun(*row)

    def progress(self, run_id: int, worker: str, counts: Mapping[str, int]) -> bool:
        row = self._statements.row(
            "retention_progress",
            id=run_id,
            worker=worker,
            counts=as_json(dict(counts)),
        )
        return row is not None

    def end(self, run_id: int, counts: Mapping[str, int], failure: str | None) -> None:
        self._statements.run(
            "retention_end", id=run_id, counts=as_json(dict(counts)), failure=failure
        )

    def runs(self, limit: int) -> Sequence[HistoryRun]:
        rows = self._statements.rows("retention_runs", limit=limit)
        return [HistoryRun(*row) for row in rows]
