"""Robots at rest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.robots.out import RobotOut


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
