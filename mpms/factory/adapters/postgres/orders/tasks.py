"""Steps of orders that wait for somebody."""

from __future__ import annotations

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.orders.tasks import WaitingTask


class OrderTasks(Repository):
    """Rows of ``tasks``."""

    def waiting(self, patience_s: float) -> list[WaitingTask]:
        rows = self._statements.rows("order_tasks_waiting", patience_s=patience_s)
        return [WaitingTask(*row) for row in rows]
