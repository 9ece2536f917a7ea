"""Many vehicles in many alleys, one step of all of them: arrays in, arrays out.

The reward of a step, in this order:

- metres that the vehicle came ahead on its way, ``AHEAD`` each (negative when it went
  back);
- ``TIME`` for each step;
- ``CLOSE`` times how much nearer than ``CLOSE_M`` it stands to anything;
- ``JERK`` times the share of the lock by which steering was asked to change;
- ``STOPPED`` when the guard had to stop it;
- ``ARRIVED`` at the end of the way, ``CONTACT`` when it touched something. Both end it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.learning.sectors import observe
from shopfloor.maneuvers.guard_kernel import stops_in_time
from shopfloor.maneuvers.scene import on_leg
from shopfloor.vehicles.motion import advance
from shopfloor.vehicles.outline import gap_to

STEP_S, PERIOD_S, MARGIN_M = 0.05, 0.1, 0.03
"""As in the closed loop of vehicles."""
SPACING_M = 0.1
AHEAD, TIME, CLOSE, JERK, STOPPED = 1.0, -0.02, -0.05, -0.005, -0.05
ARRIVED, CONTACT = 5.0, -5.0
CLOSE_M = 0.08
WITHIN_M = 0.3
FORWARD_MPS, REVERSE_MPS = 1.2, 0.5
"""What an action of 1 and of -1 asks for."""
BACK_POSES, ON_POSES = 10, 25
# Columns of what a step of a vehicle is told: contact, end of the way, out of time.
RUNNING, REACHED, TOUCHED, TIMED_OUT = 0, 1, 2, 3


@kernel
def wished(action: NDArray[np.float32], lock: float) -> tuple[float, float]:
    """Speed and steering that an action asks for; what is no number asks to stand."""
    if not (math.isfinite(action[0]) and math.isfinite(action[1])):
        return 0.0, 0.0
    drive = min(max(action[0], -1.0), 1.0)
    steer = min(max(action[1], -1.0), 1.0)
    return drive * (FORWARD_MPS if drive > 0.0 else REVERSE_MPS), steer * lock


@kernel
def look(
    states: NDArray[np.float64],
    courses: NDArray[np.int64],
    ats: NDArray[np.int64],
    ways: NDArray[np.float64],
    lasts: NDArray[np.int64],
    walls: NDArray[np.float64],
    vehicle: tuple[float, float, float, float],
    hull: NDArray[np.float64],
    seen: NDArray[np.float32],
) -> None:
    laser_x, laser_y, fastest, lock = vehicle
    ranges, discs = np.empty(hull.size), np.empty((0, 5))
    for i in range(states.shape[0]):
        course = courses[i]
        observe(
            states[i],
            ways[course],
            ats[i],
            lasts[course],
            walls[course],
            discs,
            laser_x,
            laser_y,
            hull,
            fastest,
            lock,
            ranges,
            seen[i],
        )


@kernel
def step_all(
    states: NDArray[np.float64],
    courses: NDArray[np.int64],
    ats: NDArray[np.int64],
    steps: NDArray[np.int64],
    actions: NDArray[np.float32],
    ways: NDArray[np.float64],
    lasts: NDArray[np.int64],
    walls: NDArray[np.float64],
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    most_steps: int,
    rewards: NDArray[np.float32],
    ends: NDArray[np.int64],
) -> None:
    """Move all vehicles by one period, in place."""
    lock, discs = numbers[1], np.empty((0, 5))
    for i in range(states.shape[0]):
        state, course = states[i], courses[i]
        wall = walls[course]
        wish, steering = wished(actions[i], lock)
        reward = TIME + JERK * abs(steering - state[4]) / lock
        speed, obeyed = 0.0, False
        for share in (1.0, 0.5, 0.2):
            speed = share * wish
            obeyed = stops_in_time(
                state,
                speed,
                steering,
                1.5 * PERIOD_S,
                numbers,
                outline,
                wall,
                discs,
                MARGIN_M,
            )
            if obeyed or abs(speed) < 0.1:
                break
        if not obeyed:
            speed = 0.0
            steering = steering if state[3] == 0.0 else state[4]
            reward += STOPPED
        ends[i], gap = RUNNING, CLOSE_M
        for _ in range(2):
            x, y, yaw, v, phi = advance(
                state[0],
                state[1],
                state[2],
                state[3],
                state[4],
                speed,
                steering,
                STEP_S,
                numbers,
            )
            state[0], state[1], state[2], state[3], state[4] = x, y, yaw, v, phi
            gap = min(gap, gap_to(x, y, yaw, outline, wall, discs, CLOSE_M))
        if gap <= 0.0:
            ends[i] = TOUCHED
            reward += CONTACT
        reward += CLOSE * (1.0 - gap / CLOSE_M)
        last = lasts[course]
        way = ways[course]
        first, final = max(ats[i] - BACK_POSES, 0), min(ats[i] + ON_POSES, last)
        at, _ = on_leg(state[0], state[1], way, first, final)
        reward += AHEAD * SPACING_M * (at - ats[i])
        ats[i] = at
        steps[i] += 1
        away = math.hypot(way[last, 0] - state[0], way[last, 1] - state[1])
        if ends[i] == RUNNING and away <= WITHIN_M:
            ends[i] = REACHED
            reward += ARRIVED
        elif ends[i] == RUNNING and steps[i] >= most_steps:
            ends[i] = TIMED_OUT
        rewards[i] = reward
