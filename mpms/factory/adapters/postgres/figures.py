"""What the figures add up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.figures import IncidentCount, LeadCount, OrderHour
from mpms.factory.ports.robots.tracks import Spent
from mpms.ports.processes.cockpit import TrendHour


class Figures(Repository):
    """Reads only."""

    def processes(
        self, since: datetime, until: datetime, key: str | None
    ) -> Sequence[TrendHour]:
        asked = {"since": since, "until": until, "key": key}
        rows = self._statements.rows("figures_processes", **asked)
        return [TrendHour(*row) for row in rows]

    def lead_times(
        self, starts: Sequence[datetime], until: datetime, key: str | None
    ) -> Sequence[LeadCount]:
        asked = {"starts": list(starts), "until": until, "key": key}
        rows = self._statements.rows("figures_lead_times", **asked)
        return [LeadCount(*row) for row in rows]

    def orders(self, since: datetime, until: datetime) -> Sequence[OrderHour]:
        rows = self._statements.rows("figures_orders", since=since, until=until)
        return [OrderHour(*row) for row in rows]

    def robots(self, since: datetime, until: datetime) -> Sequence[Spent]:
        rows = self._statements.rows("figures_robots", since=since, until=until)
        return [Spent(*row) for row in rows]

    def incidents(
        self, since: datetime, until: datetime, key: str | None
    ) -> Sequence[IncidentCount]:
        asked = {"since": since, "until": until, "key": key}
        rows = self._statements.rows("figures_incidents", **asked)
        return [IncidentCount(*row) for row in rows]
