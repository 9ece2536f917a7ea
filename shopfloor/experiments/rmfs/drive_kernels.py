"""One straight drive of a robot, and what it says about a moment in between.

The equations are those of ``fleet.grid.kinematics`` (Merschformann, Xie and Li, 1 to
9), solved once for each change of mind: the end of a drive may move on while it lasts.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel

# Columns of ``real``: what is known of each robot as a number.
BEGAN_AT, FROM_M, FROM_MPS, PEAK_MPS = 0, 1, 2, 3
RISEN_AT, BRAKES_AT, STOPS_AT, END_M, WAITS_SINCE = 4, 5, 6, 7, 8
DRIVEN_M, DRIVES_S, WAITED_S, TURNED_S, DRIVE_BEGAN_AT = 9, 10, 11, 12, 13
RECORDED_AT, RANK, HELD_UNTIL, LIFTED_S = 14, 15, 16, 17
EVADES_SINCE, EVADED_S = 18, 19
"""Since when a robot steps aside, NEVER while it does not; and for how long in all."""
REALS = 20
NEVER = -1.0
# Columns of ``limits``.
RISE, BRAKE, TOP, FULL_TURN_S, CELL_M, RETRY_S, TUNNEL_GAIN = 0, 1, 2, 3, 4, 5, 6
RULE, DETOUR = 7, 8
LIMITS = 9


@kernel
def plan_drive(
    robot: NDArray[np.float64],
    limits: NDArray[np.float64],
    now: float,
    at_m: float,
    speed: float,
    end_m: float,
) -> None:
    """Rise to a peak, hold the top speed, brake to stand at ``end_m``."""
    rise, brake, top = limits[RISE], limits[BRAKE], limits[TOP]
    left = max(0.0, end_m - at_m)
    rising = max(0.0, speed * speed / (2.0 * rise))
    peak = math.sqrt((left + rising) * 2.0 * rise * brake / (rise + brake))
    held = 0.0
    if peak > top:
        peak = top
        braking = top * top / (2.0 * brake)
        held = max(0.0, left + rising - top * top / (2.0 * rise) - braking)
    peak = max(peak, speed)
    robot[BEGAN_AT], robot[FROM_M], robot[FROM_MPS] = now, at_m, speed
    robot[PEAK_MPS] = peak
    robot[RISEN_AT] = now + (peak - speed) / rise
    robot[BRAKES_AT] = robot[RISEN_AT] + (held / peak if peak > 0.0 else 0.0)
    robot[STOPS_AT] = robot[BRAKES_AT] + peak / brake
    robot[END_M] = end_m


@kernel
def when_at(
    robot: NDArray[np.float64], limits: NDArray[np.float64], at_m: float
) -> float:
    """The moment when the robot has come so far."""
    rise, brake = limits[RISE], limits[BRAKE]
    speed, peak = robot[FROM_MPS], robot[PEAK_MPS]
    risen_m = robot[FROM_M] + (peak * peak - speed * speed) / (2.0 * rise)
    braking_m = risen_m + peak * (robot[BRAKES_AT] - robot[RISEN_AT])
    if at_m <= risen_m:
        root = math.sqrt(max(0.0, speed * speed + 2.0 * rise * (at_m - robot[FROM_M])))
        return float(robot[BEGAN_AT] + (root - speed) / rise)
    if at_m <= braking_m:
        return float(robot[RISEN_AT] + (at_m - risen_m) / peak)
    left = max(0.0, robot[END_M] - at_m)
    return float(robot[STOPS_AT] - math.sqrt(2.0 * left / brake))


@kernel
def where_at(
    robot: NDArray[np.float64], limits: NDArray[np.float64], at: float
) -> tuple[float, float]:
    """Metres driven and speed at a moment."""
    rise, brake = limits[RISE], limits[BRAKE]
    speed, peak = robot[FROM_MPS], robot[PEAK_MPS]
    if at >= robot[STOPS_AT]:
        return robot[END_M], 0.0
    if at >= robot[BRAKES_AT]:
        left = robot[STOPS_AT] - at
        return robot[END_M] - brake * left * left / 2.0, brake * left
    if at >= robot[RISEN_AT]:
        risen_m = robot[FROM_M] + (peak * peak - speed * speed) / (2.0 * rise)
        return risen_m + peak * (at - robot[RISEN_AT]), peak
    spent = at - robot[BEGAN_AT]
    return (
        robot[FROM_M] + speed * spent + rise * spent * spent / 2.0,
        speed + rise * spent,
    )
