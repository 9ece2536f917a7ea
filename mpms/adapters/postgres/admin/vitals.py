"""The facts that decide the health."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.ports.admin.vitals import QUEUES, DatabaseFacts


class Vitals(Repository):
    """Facts that no table holds by itself."""

    def database(self) -> DatabaseFacts:
        row = self._statements.row("vitals_database")
        return DatabaseFacts(*(row or ("", 0)))

    def queues(self) -> Mapping[str, datetime | None]:
        since = self._statements.row("vitals_queues") or ()
        added = self._statements.added("queues")
        return dict(zip(QUEUES, since, strict=True)) | dict(added)
