"""Who works, and which servers outside were reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.ports.workers import Contact, Look, WorkerSeen

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
        wall_at: datetime,
    ) -> None:
        self._statements.run(
            "workers_beat",
            name=name,
            version=version,
            poll_s=poll_s,
            rounds=rounds,
            failure=failure if failure is None else failure[:LONGEST_FAILURE],
            topics=sorted(topics),
            wall_at=wall_at,
        )

    def look(
        self, *, inside: Iterable[str], outside: Iterable[str], now: datetime
    ) -> Look:
        row = self._statements.row_alone(
            "workers_look", inside=list(inside), outside=list(outside), now=now
        )
        return Look(*(row or ()))

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
