"""Which instance holds which robot; one holder a robot, one robot a holder."""

from __future__ import annotations

from mpms.adapters.postgres.database.statements import Repository


class RobotHolds(Repository):
    """Rows of ``robot_holds``."""

    def hold(self, robot: str, instance_id: str) -> bool:
        """True if the instance has this robot now, also when it had it before."""
        self._statements.run("robot_holds_insert", robot=robot, instance_id=instance_id)
        return self.of_instance(instance_id) == robot

    def held(self) -> dict[str, str]:
        """Robot to instance id."""
        return {
            robot: instance_id
            for robot, instance_id in self._statements.rows("robot_holds_list")
        }

    def of_instance(self, instance_id: str) -> str | None:
        row = self._statements.row("robot_holds_of_instance", instance_id=instance_id)
        return None if row is None else str(row[0])

    def release(self, instance_id: str) -> str | None:
        """Free the robot and return its name."""
        row = self._statements.row("robot_holds_release", instance_id=instance_id)
        return None if row is None else str(row[0])

    def release_at_end(self, instance_id: str, *, by: str) -> None:
        """Free the robot, if it has one, and say so; nobody waits for the answer."""
        self._statements.gather(
            "robot_holds_release_ended", instance_id=instance_id, actor=by
        )
