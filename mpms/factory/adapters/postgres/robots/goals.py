"""Navigation goals; a unique index allows one open goal a robot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.factory.domain.errors import RobotBusy
from mpms.factory.domain.goals import Goal, GoalReport, GoalState, Pose


class Goals(Repository):
    """Rows of ``goals``."""

    def add(self, goal: Goal) -> bool:
        """False if the id is there already (a repeated step). RobotBusy."""
        added = self._statements.run(
            "goals_insert",
            id=goal.id,
            robot=goal.robot,
            place=goal.place,
            x_m=goal.pose.x_m,
            y_m=goal.pose.y_m,
            yaw_rad=goal.pose.yaw_rad,
            state=goal.state.value,
            task_id=goal.task_id,
            instance_id=goal.instance_id,
            inferred=goal.inferred,
            reason=goal.reason,
            created_at=goal.created_at,
            sent_at=goal.sent_at,
            ended_at=goal.ended_at,
            action=goal.action,
            act_key=goal.act_key,
            package=goal.package,
            fleet_task=goal.fleet_task,
        )
        if not added and self.get(goal.id) is None:
            raise RobotBusy(f"The robot {goal.robot} has an open goal already.")
        return added > 0

    def decide_alone(self) -> None:
        """Nobody else finds the same place free until this transaction ends."""
        self._statements.row("goals_decide_alone")

    def to_send(self, robots: Iterable[str], limit: int = 50) -> Sequence[Goal]:
        """New goals of these robots, locked, oldest first."""
        return self._goals(
            self._statements.rows("goals_to_send", robots=list(robots), limit=limit)
        )

    def mark_sent(self, goal_id: str) -> None:
        self._statements.run("goals_mark_sent", id=goal_id)

    def open(self) -> Sequence[Goal]:
        return self._goals(self._statements.rows("goals_open"))

    def call_off(self, goal_id: str) -> None:
        """An open goal without a task is not needed any more; its robot is told."""
        self._statements.run("goals_call_off", id=goal_id)

    def orphans(self, robots: Iterable[str]) -> Sequence[Goal]:
        """Open goals of these robots that no process waits for any more."""
        return self._goals(self._statements.rows("goals_orphans", robots=list(robots)))

    def settle(self, report: GoalReport) -> Goal | None:
        """Close an open goal; None if it is unknown or closed already."""
        if not report.state.ended:
            raise ValueError(f"a goal does not end by being {report.state}")
        row = self._statements.row(
            "goals_settle",
            id=report.goal_id,
            state=report.state.value,
            reason=report.reason,
            inferred=report.inferred,
        )
        return None if row is None else goal_of(row)

    def get(self, goal_id: str) -> Goal | None:
        row = self._statements.row("goals_get", id=goal_id)
        return None if row is None else goal_of(row)

    def of_instances(self, instance_ids: Iterable[str]) -> Sequence[Goal]:
        """Of some instances, oldest first."""
        ids = list(instance_ids)
        return self._goals(
            self._statements.rows("goals_of_instances", instance_ids=ids)
        )

    def of_instance(self, instance_id: str) -> Sequence[Goal]:
        """Oldest first."""
        return self._goals(
            self._statements.rows("goals_of_instance", instance_id=instance_id)
        )

    def _goals(self, rows: list[Row]) -> Sequence[Goal]:
        return [goal_of(row) for row in rows]


def goal_of(row: Row) -> Goal:
    goal_id, robot, place, x_m, y_m, yaw_rad, state, *rest = row
    return Goal(goal_id, robot, place, Pose(x_m, y_m, yaw_rad), GoalState(state), *rest)
