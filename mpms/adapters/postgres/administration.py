"""Workers, servers outside, robots at rest, retention and the facts of the health."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from mpms.adapters.postgres.statements import Repository, as_json
from mpms.ports.administration import (
    Contact,
    DatabaseFacts,
    HistoryRun,
    Kept,
    MailFacts,
    MailRead,
    QueueAges,
    RobotOut,
    UnsentReply,
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


class RobotsOut(Repository):
    """Rows of ``robots_out``, and who owns which robot."""

    def take(self, robot: str, *, reason: str, by: str) -> bool:
        return (
            self._statements.run("robots_out_take", robot=robot, reason=reason, by=by)
            > 0
        )

    def bring_back(self, robot: str) -> RobotOut | None:
        row = self._statements.row("robots_out_bring_back", robot=robot)
        return None if row is None else RobotOut(*row)

    def listing(self) -> Mapping[str, RobotOut]:
        rows = self._statements.rows("robots_out_listing")
        return {row[0]: RobotOut(*row) for row in rows}

    def owners(self) -> Mapping[str, tuple[str | None, datetime | None]]:
        rows = self._statements.rows("robots_owners")
        return {robot: (owner, reported_at) for robot, owner, reported_at in rows}


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

    def mail(self) -> MailFacts:
        return MailFacts(*(self._statements.row("vitals_mail") or (None, 0, 0, None)))

    def replies(self, limit: int) -> Sequence[UnsentReply]:
        rows = self._statements.rows("vitals_replies", limit=limit)
        return [UnsentReply(*row) for row in rows]

    def mails(self, limit: int) -> Sequence[MailRead]:
        rows = self._statements.rows("vitals_mails", limit=limit)
        return [MailRead(*row) for row in rows]
