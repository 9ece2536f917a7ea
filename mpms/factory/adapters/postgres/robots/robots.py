"""Which worker speaks with which robot, and what each robot last reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.domain.goals import Pose
from mpms.factory.ports.robots.robots import RobotState


class RobotRows(Repository):
    """Rows of ``robots``."""

    def own(self, robots: Iterable[str], *, worker: str, lease_s: float) -> set[str]:
        """Take or keep robots; return those that are this worker's now."""
        names = sorted(robots)
        self._statements.run("robots_introduce", robots=names)
        rows = self._statements.rows(
            "robots_own", robots=names, worker=worker, lease_s=lease_s
        )
        return {str(row[0]) for row in rows}

    def release(self, worker: str) -> None:
        self._statements.run("robots_release", worker=worker)

    def report(self, states: Iterable[RobotState], *, worker: str) -> None:
        for state in sorted(states, key=lambda s: s.robot):
            self._statements.run(
                "robots_report",
                worker=worker,
                robot=state.robot,
                ready=state.ready,
                why_not=state.why_not,
                link=state.link,
                x_m=state.x_m,
                y_m=state.y_m,
                battery=state.battery,
            )

    def arrived(self, robot: str, pose: Pose) -> None:
        """It stands there now; its next report may be a second away."""
        self._statements.run("robots_arrived", robot=robot, x_m=pose.x_m, y_m=pose.y_m)

    def states(self) -> Sequence[RobotState]:
        return [
            RobotState(robot, bool(ready), x_m, y_m, battery, link, why_not)
            for robot, ready, x_m, y_m, battery, link, why_not in self._statements.rows(
                "robots_states"
            )
        ]
