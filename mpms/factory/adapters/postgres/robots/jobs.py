"""Steps that wait for something of a robot's."""

from __future__ import annotations

from collections.abc import Iterable

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.robots.jobs import RobotJob


class RobotJobs(Repository):
    """Rows of ``jobs``."""

    def waiting(self, topics: Iterable[str]) -> list[RobotJob]:
        rows = self._statements.rows("robot_jobs_waiting", topics=list(topics))
        return [RobotJob(*row) for row in rows]
