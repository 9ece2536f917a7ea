"""What monitoring asks the database for."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository
from mpms.ports.admin.metrics import Measured


class Metrics(Repository):
    """Reads only."""

    def now(self) -> Sequence[Measured]:
        rows = self._statements.rows("metrics_now") + self._statements.added("metrics")
        return [Measured(*row) for row in rows]
