"""What was really done for orders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.orders.past import PastOrder, PastWork


class PastOrders(Repository):
    """Orders, the drives and the answers that belong to them."""

    def orders(self, since: datetime, *, limit: int) -> Sequence[PastOrder]:
        rows = self._statements.rows("schedule_past_orders", since=since, limit=limit)
        return [PastOrder(*row) for row in rows]

    def drives(self, numbers: Sequence[str]) -> Sequence[PastWork]:
        rows = self._statements.rows("schedule_past_drives", numbers=list(numbers))
        return [PastWork(*row) for row in rows]

    def work(self, numbers: Sequence[str]) -> Sequence[PastWork]:
        rows = self._statements.rows("schedule_past_work", numbers=list(numbers))
        return [PastWork(*row) for row in rows]
