"""Where robots were, and how they spent their time."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.robots.tracks import Spent, TrackPoint


class Tracks(Repository):
    """Rows of ``robot_tracks``, ``robot_hours`` and ``job_counts``."""

    def add(self, points: Sequence[TrackPoint]) -> None:
        self._statements.run(
            "tracks_add",
            robots=[point.robot for point in points],
            ats=[point.at for point in points],
            xs_m=[point.x_m for point in points],
            ys_m=[point.y_m for point in points],
        )

    def of_instance(self, instance_id: str, *, limit: int) -> Sequence[TrackPoint]:
        rows = self._statements.rows("tracks_of_instance", id=instance_id, limit=limit)
        return [TrackPoint(*row) for row in rows]

    def spend(self, spent: Sequence[Spent]) -> None:
        self._statements.run(
            "tracks_spend",
            robots=[one.robot for one in spent],
            driving_s=[one.driving_s for one in spent],
            waiting_s=[one.waiting_s for one in spent],
            idle_s=[one.idle_s for one in spent],
            away_s=[one.away_s for one in spent],
        )
