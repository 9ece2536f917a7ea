"""What stands still by somebody's order."""

from __future__ import annotations

from typing import Protocol

from mpms.domain.instances.instances import Suspension


class Suspensions(Protocol):
    """Instances and processes that stand still by somebody's order."""

    def suspend(self, instance_id: str, *, by: str, reason: str) -> bool:
        """False if the instance stands still already."""
        ...

    def resume(self, instance_id: str) -> bool: ...
    def suspend_process(self, key: str, *, by: str, reason: str) -> bool: ...
    def resume_process(self, key: str) -> bool: ...
    def processes(self) -> dict[str, Suspension]: ...
    def active(self, key: str, *, suspended: bool) -> list[str]:
        """Active instances of a process that do, or do not, stand still."""
        ...
