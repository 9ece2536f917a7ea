"""What the joints of a vehicle do while it drives, for the topic of joint states.

The table of the document gives both steering joints the angle of the command and all
axles the same speed. Wheels of a real axle roll about one middle: the inner one turns
further and more slowly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fleet.bodies.model import Joint, Vehicle


@dataclass(frozen=True, slots=True)
class JointState:
    name: str
    position_rad: float
    velocity_radps: float


def joint_states(
    vehicle: Vehicle, speed_mps: float, steering_rad: float, rolled_m: float = 0.0
) -> list[JointState]:
    """By the table: angle = phi, axle velocity = v / r."""
    radius_m = vehicle.dimensions.wheel_radius_m
    rolling = speed_mps / radius_m
    return [
        JointState(joint.name, steering_rad, 0.0)
        if joint.kind == "revolute"
        else JointState(joint.name, rolled_m / radius_m, rolling)
        for joint in vehicle.joints
    ]


def true_joint_states(
    vehicle: Vehicle, speed_mps: float, steering_rad: float
) -> list[JointState]:
    """Every wheel at right angles to the line from the middle of the turn."""
    size = vehicle.dimensions
    bend = math.tan(steering_rad) / size.wheel_base_m
    found = []
    for joint in vehicle.joints:
        x_m, y_m = wheel_place(vehicle, joint)
        # Velocity of the wheel's middle, for one metre a second of the rear axle.
        ahead, aside = 1.0 - y_m * bend, x_m * bend
        if joint.kind == "revolute":
            found.append(JointState(joint.name, math.atan2(aside, ahead), 0.0))
        else:
            speed = math.copysign(math.hypot(ahead, aside), ahead) * speed_mps
            found.append(JointState(joint.name, 0.0, speed / size.wheel_radius_m))
    return found


def wheel_place(vehicle: Vehicle, joint: Joint) -> tuple[float, float]:
    x_m, y_m, _ = next(link.at for link in vehicle.links if link.name == joint.child)
    return x_m, y_m


def most_true_steering_rad(vehicle: Vehicle) -> float:
    """The steering at which the inner wheel reaches its limit."""
    size = vehicle.dimensions
    inner_m = size.wheel_base_m / math.tan(vehicle.limits.steering_rad)
    return math.atan(size.wheel_base_m / (inner_m + size.track_m / 2.0))
