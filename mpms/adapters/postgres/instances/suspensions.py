"""What stands still by somebody's order: instances, and processes as a whole."""

from __future__ import annotations

from mpms.adapters.postgres.database.statements import Repository
from mpms.domain.instances.instances import Suspension


class Suspensions(Repository):
    """Columns of ``instances`` and rows of ``suspended_processes``."""

    def suspend(self, instance_id: str, *, by: str, reason: str) -> bool:
        """False if the instance stands still already."""
        return bool(
            self._statements.run(
                "suspensions_add_instance", id=instance_id, by=by, reason=reason
            )
        )

    def resume(self, instance_id: str) -> bool:
        """False if the instance does not stand still."""
        return bool(self._statements.run("suspensions_end_instance", id=instance_id))

    def suspend_process(self, key: str, *, by: str, reason: str) -> bool:
        """False if the process is suspended already."""
        return bool(
            self._statements.run(
                "suspensions_add_process", key=key, by=by, reason=reason
            )
        )

    def resume_process(self, key: str) -> bool:
        """False if the process is not suspended."""
        return bool(self._statements.run("suspensions_end_process", key=key))

    def processes(self) -> dict[str, Suspension]:
        rows = self._statements.rows("suspensions_of_processes")
        return {key: Suspension(by, reason, at) for key, by, reason, at in rows}

    def active(self, key: str, *, suspended: bool) -> list[str]:
        """Active instances of a process that do, or do not, stand still."""
        rows = self._statements.rows(
            "suspensions_active_of", key=key, suspended=suspended
        )
        return [instance_id for (instance_id,) in rows]
