"""Workers, servers outside, retention and the facts of the health."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from mpms.adapters.postgres.statements import Repository, as_json
from mpms.ports.administration import (
    Contact,
    DatabaseFacts,
    HistoryRun,
    Kept,
    QueueAges,
    WorkerSeen,
)

LONGEST_FAILURE = 500


class Workers(Repository):
    """Rows of ``workers`` and ``contacts``."""

    def beat(
        self,
        name: str,
        *,
        version: str,
        poll_s: float,
        rounds: int,
        failure: str | None,
        topics: Iterable[str],
    ) -> None:
        self._statements.run(
            "workers_beat",
            name=name,
            version=version,
            poll_s=poll_s,
            rounds=rounds,
            failure=failure if failure is None else failure[:LONGEST_FAILURE],
            topics=sorted(topics),
        )

    def leave(self, name: str) -> None:
        self._statements.run("workers_leave", name=name)

    def listing(self) -> Sequence[WorkerSeen]:
        return [WorkerSeen(*row) for row in self._statements.rows("workers_listing")]

    def topics(self, *, alive_s: float) -> Sequence[Sequence[str] | None]:
        rows = self._statements.rows("workers_topics", alive_s=alive_s)
        return [row[0] for row in rows]

    def reached(self, server: str) -> None:
        self._statements.run("contacts_reached", server=server)

    def failed(self, server: str, failure: str) -> None:
        self._statements.run(
            "contacts_failed", server=server, failure=failure[:LONGEST_FAILURE]
        )

    def contacts(self) -> Mapping[str, Contact]:
        rows = self._statements.rows("contacts_listing")
        return {row[0]: Contact(*row) for row in rows}


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


class Vitals(Repository):
    """Facts that no table holds by itself."""

    def database(self) -> DatabaseFacts:
        row = self._statements.row("vitals_database")
        return DatabaseFacts(*(row or ("", 0)))

    def queues(self) -> QueueAges:
        return QueueAges(*(self._statements.row("vitals_queues") or ()))
