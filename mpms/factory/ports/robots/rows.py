"""Which worker speaks with which robot, and what each robot last reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.factory.domain.goals import Pose
    from mpms.factory.ports.robots.robots import RobotState


class RobotRows(Protocol):
    """Which worker speaks with which robot; what each last reported."""

    def own(
        self, robots: Iterable[str], *, worker: str, lease_s: float
    ) -> set[str]: ...
    def release(self, worker: str) -> None: ...
    def report(self, states: Iterable[RobotState], *, worker: str) -> None: ...
    def arrived(self, robot: str, pose: Pose) -> None:
        """It stands there now; its next report may be a second away."""
        ...

    def states(self) -> Sequence[RobotState]: ...
