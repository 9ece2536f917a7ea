"""Which instance holds which robot."""

from __future__ import annotations

from typing import Protocol


class RobotHolds(Protocol):
    """Which instance holds which robot; one holder a robot."""

    def hold(self, robot: str, instance_id: str) -> bool: ...
    def held(self) -> dict[str, str]: ...  # robot -> instance id
    def of_instance(self, instance_id: str) -> str | None: ...
    def release(self, instance_id: str) -> str | None: ...
    def release_at_end(self, instance_id: str, *, by: str) -> None:
        """Free the robot, if it has one, and say so in the history."""
        ...
