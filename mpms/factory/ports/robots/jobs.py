"""Steps that wait for something of a robot's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class RobotJob:
    """A job about a robot that is still to be done. ``why`` None: nobody has tried."""

    task_id: str
    instance_id: str
    robot: str | None
    place: str | None
    why: str | None
    waited_s: float


class RobotJobs(Protocol):
    """Rows of ``jobs``."""

    def waiting(self, topics: Iterable[str]) -> Sequence[RobotJob]:
        """Those of these topics that are still to be done, the oldest first."""
        ...
