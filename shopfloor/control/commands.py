"""What a pilot answers: velocities, how it fares, and why where that is needed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PilotStatus(StrEnum):
    IDLE = "idle"
    DRIVING = "driving"
    BLOCKED = "blocked"
    """Something is in the way; the pilot waits, plans anew or backs off."""
    WAITING_FOR_PERSON = "waiting_for_person"
    STOPPED = "stopped"
    """Something is wrong with what the pilot is given; the goal is kept."""
    ARRIVED = "arrived"
    FAILED = "failed"


class Cause(StrEnum):
    GOAL_NOT_FINITE = "goal_not_finite"
    GOAL_OUTSIDE_MAP = "goal_outside_map"
    GOAL_IN_WALL = "goal_in_wall"
    UNREACHABLE = "unreachable"
    LOST = "lost"
    STOP_PRESSED = "stop_pressed"
    TIME_WENT_BACKWARDS = "time_went_backwards"
    TIME_NOT_FINITE = "time_not_finite"
    NO_SCAN = "no_scan"
    SCAN_UNUSABLE = "scan_unusable"
    LASERS_SEE_NOTHING = "lasers_see_nothing"
    LASER_FAULT = "laser_fault"
    """A laser cannot be believed for a while; the words name it."""
    TAG_UNUSABLE = "tag_unusable"
    ODOMETRY_UNUSABLE = "odometry_unusable"
    OBSTACLE = "obstacle"
    """Nearer than the emergency stop allows."""
    NO_WAY_AROUND = "no_way_around"
    BLOCKED_TOO_LONG = "blocked_too_long"
    PERSON = "person"
    ROBOT = "robot"
    """Another robot has the right of way."""


@dataclass(frozen=True, slots=True)
class Command:
    """Velocities in the robot's frame: forwards, to the left, anticlockwise."""

    vx_mps: float
    vy_mps: float
    wz_radps: float
    status: PilotStatus
    cause: Cause | None = None
    detail: str = ""
    asks: bool = False
    """Whoever stands in the way is asked to step aside."""

    @property
    def still(self) -> bool:
        return self.vx_mps == 0.0 and self.vy_mps == 0.0 and self.wz_radps == 0.0
