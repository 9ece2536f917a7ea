"""How long a robot drives: speed, acceleration and turning on the spot."""

from __future__ import annotations

import math

from fleet.model.world import RobotType

STRAIGHT = 0.09  # radians: below this a robot drives on without stopping


def angle_between(a: float, b: float) -> float:
    """The turn from one heading to another, 0 to pi."""
    return abs((b - a + math.pi) % math.tau - math.pi)


def turn_s(angle: float, robot: RobotType, speed_mps: float) -> float:
    """Time that a turn costs: brake, turn, and be quick again."""
    if angle < STRAIGHT:
        return 0.0
    return angle / robot.turning_radps + start_s(robot, speed_mps)


def start_s(robot: RobotType, speed_mps: float) -> float:
    """What a start and a stop cost above driving at full speed all the way."""
    return speed_mps / robot.acceleration_mps2


def straight_s(length_m: float, speed_mps: float, acceleration_mps2: float) -> float:
    """From standstill to standstill along a straight line."""
    if length_m <= 0.0:
        return 0.0
    if length_m >= speed_mps * speed_mps / acceleration_mps2:
        return length_m / speed_mps + speed_mps / acceleration_mps2
    return 2.0 * math.sqrt(length_m / acceleration_mps2)
