"""The facts that the health is judged by."""

from __future__ import annotations

from mpms.adapters.postgres.database.statements import Repository
from mpms.ports.admin.vitals import DatabaseFacts, QueueAges


class Vitals(Repository):
    """Facts that no table holds by itself."""

    def database(self) -> DatabaseFacts:
        row = self._statements.row("vitals_database")
        return DatabaseFacts(*(row or ("", 0)))

    def queues(self) -> QueueAges:
        return QueueAges(*(self._statements.row("vitals_queues") or ()))
