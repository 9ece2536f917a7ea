"""How long a robot takes to drive straight and to turn on the spot.

Uniform acceleration and deceleration, after Merschformann, Xie and Erdmann (RAWSim-O):
the numbers in brackets are those of their equations. Deceleration is negative. A robot
may already be driving, because orders come at any time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Drive:
    """What a robot's motors can do."""

    acceleration_mps2: float
    deceleration_mps2: float
    """Negative."""
    top_speed_mps: float
    full_turn_s: float

    def __post_init__(self) -> None:
        if not (self.acceleration_mps2 > 0 and math.isfinite(self.acceleration_mps2)):
            raise ValueError(
                f"acceleration is more than 0 m/s2, not {self.acceleration_mps2}"
            )
        if not (self.deceleration_mps2 < 0 and math.isfinite(self.deceleration_mps2)):
            raise ValueError(
                f"deceleration is less than 0 m/s2, not {self.deceleration_mps2}"
            )
        if not (self.top_speed_mps > 0 and math.isfinite(self.top_speed_mps)):
            raise ValueError(f"top speed is more than 0 m/s, not {self.top_speed_mps}")
        if not (self.full_turn_s >= 0 and math.isfinite(self.full_turn_s)):
            raise ValueError(f"a full turn takes 0 s or more, not {self.full_turn_s}")


def speed_after(acceleration_mps2: float, speed_mps: float, time_s: float) -> float:
    """(1)"""
    return acceleration_mps2 * time_s + speed_mps


def distance_after(acceleration_mps2: float, speed_mps: float, time_s: float) -> float:
    """(2), and with an acceleration of 0 (3)."""
    return acceleration_mps2 / 2.0 * time_s**2 + speed_mps * time_s


def time_to_top_speed_s(drive: Drive, speed_mps: float) -> float:
    """(4)"""
    return (drive.top_speed_mps - speed_mps) / drive.acceleration_mps2


def distance_to_top_speed_m(drive: Drive, speed_mps: float) -> float:
    """(5)"""
    time_s = time_to_top_speed_s(drive, speed_mps)
    return distance_after(drive.acceleration_mps2, speed_mps, time_s)


def time_to_stop_s(drive: Drive, speed_mps: float) -> float:
    """(6)"""
    return -speed_mps / drive.deceleration_mps2


def distance_to_stop_m(drive: Drive, speed_mps: float) -> float:
    """(7)"""
    time_s = time_to_stop_s(drive, speed_mps)
    return distance_after(drive.deceleration_mps2, speed_mps, time_s)


def switch_time_s(drive: Drive, full_distance_m: float) -> float:
    """(8): from standstill, when to change from accelerating to braking.

    For a distance too short to reach the top speed.
    """
    a, b = drive.acceleration_mps2, drive.deceleration_mps2
    return math.sqrt(full_distance_m / (a / 2.0 - a**2 / (2.0 * b)))


def full_distance_m(drive: Drive, speed_mps: float, distance_m: float) -> float:
    """(9): what is left, and what it took from standstill to the present speed."""
    a = drive.acceleration_mps2
    return distance_m + a / 2.0 * (speed_mps / a) ** 2


def cruise_phases(
    drive: Drive, speed_mps: float, distance_m: float
) -> tuple[tuple[float, float], ...]:
    """Pairs of acceleration and time until the robot stands, Algorithm 1.

    Four cases: it can only brake (and overshoots where the distance is too short),
    drives on at top speed, reaches the top speed, or brakes before it does.
    """
    _check(drive, speed_mps, distance_m)
    braking = (drive.deceleration_mps2, time_to_stop_s(drive, speed_mps))
    stopping_m = distance_to_stop_m(drive, speed_mps)
    if distance_m <= stopping_m:
        return (braking,)
    top = drive.top_speed_mps
    if speed_mps == top:
        return ((0.0, (distance_m - stopping_m) / top), braking)
    rising_m = distance_to_top_speed_m(drive, speed_mps)
    from_top_m = distance_to_stop_m(drive, top)
    if rising_m + from_top_m <= distance_m:
        return (
            (drive.acceleration_mps2, time_to_top_speed_s(drive, speed_mps)),
            (0.0, (distance_m - rising_m - from_top_m) / top),
            (drive.deceleration_mps2, time_to_stop_s(drive, top)),
        )
    switch_s = switch_time_s(drive, full_distance_m(drive, speed_mps, distance_m))
    peak_mps = drive.acceleration_mps2 * switch_s
    rising_s = max(0.0, switch_s - speed_mps / drive.acceleration_mps2)
    return (
        (drive.acceleration_mps2, rising_s),
        (drive.deceleration_mps2, time_to_stop_s(drive, peak_mps)),
    )


def cruise_time_s(drive: Drive, speed_mps: float, distance_m: float) -> float:
    """How long until the robot stands at the end of a straight way."""
    return sum(time_s for _, time_s in cruise_phases(drive, speed_mps, distance_m))


def cruise_state(
    drive: Drive, speed_mps: float, distance_m: float, time_s: float
) -> tuple[float, float]:
    """Metres driven and speed after a part of the way, for whoever interrupts it."""
    driven_m, speed = 0.0, speed_mps
    for acceleration, phase_s in cruise_phases(drive, speed_mps, distance_m):
        spent_s = min(time_s, phase_s)
        driven_m += distance_after(acceleration, speed, spent_s)
        speed = speed_after(acceleration, speed, spent_s)
        time_s -= spent_s
        if time_s <= 0.0:
            return driven_m, max(0.0, speed)
    return driven_m, 0.0


def turn_time_s(drive: Drive, angle_rad: float) -> float:
    """On the spot, standing; the shorter way round."""
    angle = abs(math.remainder(angle_rad, math.tau))
    return drive.full_turn_s * angle / math.tau


def _check(drive: Drive, speed_mps: float, distance_m: float) -> None:
    if not 0.0 <= speed_mps <= drive.top_speed_mps:
        raise ValueError(
            f"a speed of {speed_mps} m/s is not 0 to {drive.top_speed_mps}"
        )
    if not (distance_m >= 0.0 and math.isfinite(distance_m)):
        raise ValueError(f"a distance is 0 m or more, not {distance_m}")
