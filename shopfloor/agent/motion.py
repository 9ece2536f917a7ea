"""Which velocities follow a path: turn on the spot, drive straight, stop at its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fleet.model.world import RobotType
from shopfloor.agent.waypoints import Waypoint
from shopfloor.geometry import Pose, wrapped

ARRIVED_M = 0.05
ALIGNED_RAD = 0.03
TURNS_RAD = 0.35
"""Beyond this the robot stands while it turns."""


@dataclass(frozen=True)
class Motion:
    """For the motion actuator. ``arrived``: both are 0, and nothing is left to do."""

    linear_mps: float
    angular_radps: float
    arrived: bool = False
    passed: int = 0
    """Waypoints at the head of the path that are done."""


def plan_motion(
    path: Sequence[Waypoint], pose: Pose, robot: RobotType, step_s: float = 0.1
) -> Motion:
    """One step along the path from where the robot is."""
    passed = 0
    while passed < len(path) and _away_m(pose, path[passed]) <= ARRIVED_M:
        passed += 1
        if path[passed - 1].sub_goal:
            return Motion(0.0, 0.0, passed == len(path), passed)
    if passed == len(path):
        return Motion(0.0, 0.0, arrived=True, passed=passed)
    goal = path[passed]
    left_m = _away_m(pose, goal)
    bearing = math.atan2(goal.y_m - pose.y_m, goal.x_m - pose.x_m)
    error = wrapped(bearing - pose.yaw_rad)
    turn = 0.0
    if abs(error) > ALIGNED_RAD / 2:
        turn = math.copysign(min(robot.turning_radps, abs(error) / step_s), error)
    if abs(error) > TURNS_RAD or (abs(error) > ALIGNED_RAD and left_m < 0.3):
        return Motion(0.0, turn, passed=passed)
    brake_mps = math.sqrt(2.0 * robot.acceleration_mps2 * left_m)
    speed_mps = min(robot.speed_mps, brake_mps, left_m / step_s)
    return Motion(max(0.02, speed_mps), turn, passed=passed)


def _away_m(pose: Pose, point: Waypoint) -> float:
    return math.hypot(point.x_m - pose.x_m, point.y_m - pose.y_m)
