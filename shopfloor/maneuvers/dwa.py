"""DWA, the dynamic window approach, for steered wheels.

Constant commands are tried out with the true motion of the vehicle, steering rate
included; of those that the guard lets through the best one is taken.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from kernel_store.compiled import kernel
from shopfloor.maneuvers.guard_kernel import stops_in_time
from shopfloor.maneuvers.local import GUARDED_S, LocalPlanner
from shopfloor.maneuvers.scene import Command, Obstacles, gap_then, on_leg, turned
from shopfloor.vehicles.motion import (
    BRAKING,
    FORWARD,
    LOCK,
    REVERSE,
    advance,
)

STEP_S = 0.1
STEPS = 20
SPEEDS, ANGLES = 9, 21
# What counts how much: off the way, off its heading, behind on it, near to things,
# against the direction of the leg, away from the present command, soon blocked.
OFF, HEADING, BEHIND, NEAR, AGAINST, CHANGE, BLOCKED = range(7)
WEIGHTS = np.array([2.0, 0.5, 1.2, 0.35, 0.3, 0.05, 1.0])
NEAR_M = 0.25


@kernel
def best_command(
    state: NDArray[np.float64],
    leg: NDArray[np.float64],
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    margin: float,
    weights: NDArray[np.float64],
) -> tuple[float, float, float]:
    """Speed, steering and what they cost; infinite if nothing is left but to stand."""
    here = gap_then(state[0], state[1], state[2], 0.0, outline, walls, discs, 2.0)
    limit = min(margin, 0.9 * here)
    direction, count = leg[0, 3], leg.shape[0]
    spacing = math.hypot(leg[1, 0] - leg[0, 0], leg[1, 1] - leg[0, 1]) + 1e-6
    best_speed, best_angle, least = 0.0, state[4], math.inf
    for s in range(SPEEDS):
        share = s / (SPEEDS - 1)
        speed = share * (numbers[FORWARD] + numbers[REVERSE]) - numbers[REVERSE]
        if abs(speed) < 0.08:
            continue
        for a in range(ANGLES):
            angle = (2.0 * a / (ANGLES - 1) - 1.0) * numbers[LOCK]
            x, y, yaw, v, phi = state[0], state[1], state[2], state[3], state[4]
            off, near, told, hit = 0.0, 0.0, 0, False
            for step in range(STEPS):
                at = (step + 1) * STEP_S
                nx, ny, nyaw, nv, nphi = advance(
                    x, y, yaw, v, phi, speed, angle, STEP_S, numbers
                )
                gap = gap_then(nx, ny, nyaw, at, outline, walls, discs, NEAR_M)
                if gap < limit:
                    hit = abs(nv) / numbers[BRAKING] + STEP_S > at
                    break
                x, y, yaw, v, phi = nx, ny, nyaw, nv, nphi
                near += 1.0 - gap / NEAR_M
                told += 1
                if step % 5 == 4:
                    _, away = on_leg(x, y, leg, 0, min(count - 1, 60))
                    off += away
            if hit or told == 0:
                continue
            index, away = on_leg(x, y, leg, 0, min(count - 1, 60))
            turn = abs(turned(yaw - leg[index, 2]))
            cost = (
                weights[OFF] * (away + off / (STEPS // 5))
                + weights[HEADING] * turn
                - weights[BEHIND] * index * spacing
                + weights[NEAR] * near / told
                + weights[CHANGE] * abs(angle - state[4])
                + weights[BLOCKED] * (1.0 - told / STEPS)
            )
            if speed * direction < 0.0:
                cost += weights[AGAINST] + weights[BEHIND] * abs(speed)
            # What the guard would refuse is no command: others are worse than none.
            if cost < least and stops_in_time(
                state, speed, angle, GUARDED_S, numbers, outline, walls, discs, margin
            ):
                best_speed, best_angle, least = speed, angle, cost
    return best_speed, best_angle, least


class Dwa(LocalPlanner):
    name = "dwa"

    def __init__(self, vehicle: Vehicle, seed: int = 0) -> None:
        super().__init__(vehicle, seed)
        self.weights = WEIGHTS.copy()

    def _choose(
        self, state: NDArray[np.float64], leg: NDArray[np.float64], near: Obstacles
    ) -> Command:
        speed, angle, cost = best_command(
            state,
            leg,
            self.numbers,
            self.outline,
            near.walls,
            near.discs,
            self.margin_m,
            self.weights,
        )
        if not math.isfinite(cost):
            return Command(0.0, float(state[4]))
        return Command(speed, angle)


PLANNER = Dwa
