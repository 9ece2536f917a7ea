"""How a car-like vehicle moves: the kinematic bicycle, integrated along exact arcs.

A state is x, y, yaw, speed, steering angle; a command is speed and steering angle. The
point that moves is the middle of the rear axle; it never moves sideways, and nothing
turns while it stands. Speed and steering follow a command as fast as the vehicle may.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from kernel_store.compiled import kernel
from shopfloor.vehicles.errors import CommandWrong

X, Y, YAW, SPEED, STEERING = 0, 1, 2, 3, 4
STATE = 5
# What a kernel is told of a vehicle, by index.
WHEEL_BASE, LOCK, STEERING_RATE, FORWARD, REVERSE, ACCEL, BRAKING, LATERAL = range(8)
STRAIGHT = 1e-9
"""A turn below this is no turn."""


def numbers_of(vehicle: Vehicle, load_kg: float = 0.0) -> NDArray[np.float64]:
    """What kernels need; the motors' force is the same, so a load makes it slower."""
    limits, empty_kg = vehicle.limits, vehicle.masses.empty_kg
    share = empty_kg / (empty_kg + load_kg)
    return np.array(
        [
            vehicle.dimensions.wheel_base_m,
            limits.steering_rad,
            limits.steering_radps,
            limits.forward_mps,
            limits.reverse_mps,
            limits.accel_mps2 * share,
            limits.braking_mps2 * share,
            limits.lateral_mps2,
        ]
    )


def checked(speed_mps: float, steering_rad: float) -> tuple[float, float]:
    """A command that is one. CommandWrong: the caller stops the vehicle."""
    if not (math.isfinite(speed_mps) and math.isfinite(steering_rad)):
        raise CommandWrong(
            f"speed {speed_mps} m/s and steering {steering_rad} rad are no command"
        )
    return speed_mps, steering_rad


def steering_of(wz_radps: float, vx_mps: float, wheel_base_m: float) -> float:
    """The angle that gives this turn at this speed; none can while it stands."""
    return math.atan(wheel_base_m * wz_radps / vx_mps) if vx_mps else 0.0


@kernel
def along_arc(
    x: float, y: float, yaw: float, length: float, curvature: float
) -> tuple[float, float, float]:
    """Where one comes on an arc; a negative length goes backwards."""
    turn = length * curvature
    if abs(turn) < STRAIGHT:
        half = yaw + 0.5 * turn
        return x + length * math.cos(half), y + length * math.sin(half), yaw + turn
    radius = 1.0 / curvature
    end = yaw + turn
    return (
        x + radius * (math.sin(end) - math.sin(yaw)),
        y - radius * (math.cos(end) - math.cos(yaw)),
        end,
    )


@kernel
def next_speed(
    speed: float, wanted: float, dt: float, accel: float, braking: float
) -> tuple[float, float]:
    """The speed after a step and its mean; it stops before it turns round."""
    if speed * wanted < 0.0:
        wanted = 0.0
    rate = accel if abs(wanted) > abs(speed) else braking
    change = wanted - speed
    takes = abs(change) / rate
    if takes >= dt:
        end = speed + math.copysign(rate * dt, change)
        return end, 0.5 * (speed + end)
    return wanted, (0.5 * (speed + wanted) * takes + wanted * (dt - takes)) / dt


@kernel
def next_steering(
    angle: float, wanted: float, dt: float, rate: float
) -> tuple[float, float]:
    """The steering angle after a step and the mean of its tangent, both exact."""
    change = wanted - angle
    takes = abs(change) / rate
    if takes < STRAIGHT:
        return wanted, math.tan(wanted)
    if takes >= dt:
        takes = dt
        wanted = angle + math.copysign(rate * dt, change)
    # The integral of tan is -ln cos.
    turning = math.log(math.cos(angle) / math.cos(wanted)) / (wanted - angle)
    return wanted, (turning * takes + math.tan(wanted) * (dt - takes)) / dt


@kernel
def advance(
    x: float,
    y: float,
    yaw: float,
    speed: float,
    steering: float,
    wanted_speed: float,
    wanted_steering: float,
    dt: float,
    numbers: NDArray[np.float64],
) -> tuple[float, float, float, float, float]:
    """The state after ``dt`` seconds; what is no number stops the vehicle."""
    if not (math.isfinite(wanted_speed) and math.isfinite(wanted_steering)):
        wanted_speed, wanted_steering = 0.0, steering
    lock, base = numbers[LOCK], numbers[WHEEL_BASE]
    wanted_steering = min(max(wanted_steering, -lock), lock)
    steering, tangent = next_steering(
        steering, wanted_steering, dt, numbers[STEERING_RATE]
    )
    bend = max(abs(math.tan(steering)), abs(math.tan(wanted_steering))) / base
    most, least = numbers[FORWARD], -numbers[REVERSE]
    if bend > STRAIGHT:
        in_curve = math.sqrt(numbers[LATERAL] / bend)
        most, least = min(most, in_curve), max(least, -in_curve)
    wanted_speed = min(max(wanted_speed, least), most)
    speed, mean = next_speed(speed, wanted_speed, dt, numbers[ACCEL], numbers[BRAKING])
    if mean != 0.0:
        x, y, yaw = along_arc(x, y, yaw, mean * dt, tangent / base)
    return x, y, yaw, speed, steering


@kernel
def advance_many(
    states: NDArray[np.float64],
    commands: NDArray[np.float64],
    dt: float,
    numbers: NDArray[np.float64],
) -> None:
    """All vehicles of a kind at once, in place: rows of states and of commands."""
    for i in range(states.shape[0]):
        x, y, yaw, speed, steering = advance(
            states[i, X],
            states[i, Y],
            states[i, YAW],
            states[i, SPEED],
            states[i, STEERING],
            commands[i, 0],
            commands[i, 1],
            dt,
            numbers,
        )
        states[i, X], states[i, Y], states[i, YAW] = x, y, yaw
        states[i, SPEED], states[i, STEERING] = speed, steering
