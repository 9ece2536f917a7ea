"""What the dashboard of the plant counts, from orders and their records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.dashboard import EndedOrder, Waited, Weighings


class Dashboard(Repository):
    """Reads only; each method is one statement."""

    def ended(
        self, since: datetime, until: datetime, *, limit: int
    ) -> Sequence[EndedOrder]:
        rows = self._statements.rows(
            "dashboard_ended", since=since, until=until, limit=limit
        )
        return [_ended(row) for row in rows]

    def weighings(self, numbers: Sequence[str]) -> Sequence[Weighings]:
        rows = self._statements.rows("dashboard_weighings", numbers=list(numbers))
        return [Weighings(*row) for row in rows]

    def waits(self, numbers: Sequence[str]) -> Sequence[Waited]:
        rows = self._statements.rows("dashboard_waits", numbers=list(numbers))
        return [Waited(key, element, n, float(s)) for key, element, n, s in rows]


def _ended(row: Row) -> EndedOrder:
    number, product, customer, status, due, started_at, ended_at, instance_id, kg = row
    return EndedOrder(
        number,
        product,
        customer,
        OrderStatus(status),
        due,
        started_at,
        ended_at,
        instance_id,
        kg,
    )
