"""Navigation goals: where a robot shall drive, one at a time.

A goal knows a robot, a place and a pose. It never carries the order, the material
or a later goal, so nothing of them can reach the robot.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

DRIVE = "drive"
OF_FLEET = "fleet/"


class GoalState(enum.StrEnum):
    """The life of a goal; written to the database before anything is sent."""

    NEW = "new"
    SENT = "sent"
    REACHED = "reached"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"  # held for the operator: nobody can say what the robot did

    @property
    def ended(self) -> bool:
        return self not in (GoalState.NEW, GoalState.SENT)


@dataclass(frozen=True)
class Pose:
    """A place on the floor, in the map's frame."""

    x_m: float
    y_m: float
    yaw_rad: float = 0.0


@dataclass(frozen=True)
class Goal:
    """One row of ``goals``."""

    id: str
    robot: str
    place: str
    pose: Pose
    state: GoalState
    task_id: str | None = None
    instance_id: str | None = None
    inferred: bool = False
    reason: str | None = None
    created_at: datetime | None = None
    sent_at: datetime | None = None
    ended_at: datetime | None = None
    action: str = DRIVE
    act_key: str = ""  # by which the robot knows an action again
    package: str = ""
    fleet_task: str = ""  # for which the fleet sent it

    @property
    def of_fleet(self) -> bool:
        """A stretch of a way or an action that the fleet planned."""
        return self.id.startswith(OF_FLEET)


@dataclass(frozen=True)
class GoalReport:
    """What a robot says about the end of a goal."""

    goal_id: str
    state: GoalState
    reason: str | None = None
    inferred: bool = False
