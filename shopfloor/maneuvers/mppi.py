"""MPPI, model predictive path integral control: many drives are dreamt, the good ones
are averaged.

G. Williams et al. (2017). The drives are sampled around the last plan with noise on
speed and steering; the seed makes them repeatable.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from kernel_store.compiled import kernel
from shopfloor.maneuvers.local import PERIOD_S, LocalPlanner
from shopfloor.maneuvers.scene import Command, Obstacles, gap_then, on_leg, turned
from shopfloor.vehicles.motion import FORWARD, LOCK, REVERSE, advance

SAMPLES, STEPS, STEP_S = 256, 22, 0.12
SPEED_NOISE_MPS, STEERING_NOISE_SHARE = 0.35, 0.35
TEMPERATURE = 0.25
ANGLES = np.linspace(-1.0, 1.0, 7)
NEAR_M = 0.2
HIT = 100.0
# What counts how much: off the way, off its heading, behind on it, near to things,
# against the direction of the leg, changes of the command, standing on the way.
OFF, HEADING, BEHIND, NEAR, AGAINST, CHANGE, STANDING = range(7)
WEIGHTS = np.array([2.5, 0.8, 2.0, 0.6, 0.5, 0.15, 2.0])
STANDING_MPS, STANDING_M = 0.3, 0.5
"""Slower than this it stands; where less of the leg is left, it may."""


@kernel
def cost_of(
    state: NDArray[np.float64],
    plan: NDArray[np.float64],
    leg: NDArray[np.float64],
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    margin: float,
    weights: NDArray[np.float64],
) -> float:
    """Of driving the plan: rows of speed and steering."""
    x, y, yaw, v, phi = state[0], state[1], state[2], state[3], state[4]
    last = min(leg.shape[0] - 1, 80)
    spacing = math.hypot(leg[1, 0] - leg[0, 0], leg[1, 1] - leg[0, 1]) + 1e-6
    underway = last * spacing > STANDING_M
    cost, before, index, away = 0.0, state[4], 0, 0.0
    for step in range(plan.shape[0]):
        x, y, yaw, v, phi = advance(
            x, y, yaw, v, phi, plan[step, 0], plan[step, 1], STEP_S, numbers
        )
        at = (step + 1) * STEP_S
        gap = gap_then(x, y, yaw, at, outline, walls, discs, NEAR_M)
        if gap < margin:
            # The sooner it hits, the worse.
            return float(cost + HIT * (1.0 + plan.shape[0] - step))
        cost += weights[NEAR] * STEP_S * (1.0 - gap / NEAR_M) ** 2 * 5.0
        cost += weights[CHANGE] * abs(plan[step, 1] - before) * STEP_S
        before = plan[step, 1]
        if v * leg[0, 3] < 0.0:
            cost += weights[AGAINST] * STEP_S
        if underway and abs(v) < STANDING_MPS:
            cost += weights[STANDING] * STEP_S * (1.0 - abs(v) / STANDING_MPS)
        if step % 3 == 2 or step == plan.shape[0] - 1:
            index, away = on_leg(x, y, leg, 0, last)
            turn = abs(turned(yaw - leg[index, 2]))
            cost += 3.0 * STEP_S * (weights[OFF] * away + weights[HEADING] * turn)
    return float(cost - weights[BEHIND] * index * spacing + weights[OFF] * away)


@kernel
def average(
    state: NDArray[np.float64],
    plan: NDArray[np.float64],
    noise: NDArray[np.float64],
    leg: NDArray[np.float64],
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    margin: float,
    weights: NDArray[np.float64],
    temperature: float,
) -> float:
    """Improve the plan in place; what the result costs."""
    samples, steps = noise.shape[0], plan.shape[0]
    here = gap_then(state[0], state[1], state[2], 0.0, outline, walls, discs, 1.0)
    limit = min(margin, 0.9 * here)
    costs = np.empty(samples)
    one = np.empty((steps, 2))
    for k in range(samples):
        for t in range(steps):
            speed = plan[t, 0] + noise[k, t, 0]
            angle = plan[t, 1] + noise[k, t, 1]
            noise[k, t, 0] = min(max(speed, -numbers[REVERSE]), numbers[FORWARD])
            noise[k, t, 1] = min(max(angle, -numbers[LOCK]), numbers[LOCK])
            one[t, 0], one[t, 1] = noise[k, t, 0], noise[k, t, 1]
        costs[k] = cost_of(
            state, one, leg, numbers, outline, walls, discs, limit, weights
        )
    best = int(np.argmin(costs))
    total = 0.0
    one[:] = 0.0
    for k in range(samples):
        share = math.exp(-(costs[k] - costs[best]) / temperature)
        total += share
        for t in range(steps):
            one[t, 0] += share * noise[k, t, 0]
            one[t, 1] += share * noise[k, t, 1]
    one /= total
    mean = cost_of(state, one, leg, numbers, outline, walls, discs, limit, weights)
    if mean <= costs[best] + temperature:
        plan[:] = one
        return mean
    # Left around it and right around it average to straight into it.
    plan[:] = noise[best]
    return float(costs[best])


class Mppi(LocalPlanner):
    name = "mppi"

    def __init__(self, vehicle: Vehicle, seed: int = 0) -> None:
        super().__init__(vehicle, seed)
        self.weights = WEIGHTS.copy()
        self._plan = np.zeros((STEPS, 2))

    def forget(self) -> None:
        self._plan[:] = 0.0

    def _choose(
        self, state: NDArray[np.float64], leg: NDArray[np.float64], near: Obstacles
    ) -> Command:
        plan, share = self._plan, PERIOD_S / STEP_S
        # The plan goes on by one period, which is not one of its steps.
        plan[:-1] += share * (plan[1:] - plan[:-1])
        draw = self.random.standard_normal((SAMPLES, STEPS // 2, 2))
        noise = np.repeat(draw, 2, axis=1)
        noise[..., 0] *= SPEED_NOISE_MPS
        noise[..., 1] *= STEERING_NOISE_SHARE * self.vehicle.limits.steering_rad
        noise[0] = 0.0
        # A tenth looks far from the last plan: full ahead, full back.
        far = SAMPLES // 10
        noise[1:far, :, 0] += leg[0, 3] * self.vehicle.limits.forward_mps / 2.0
        noise[far : 2 * far, :, 0] -= plan[None, :, 0] + leg[0, 3] * 0.4
        # Some keep one speed and one angle: noise alone never holds full lock for long,
        # and a way that begins with a tight turn would look worse than standing still.
        lock = self.vehicle.limits.steering_rad
        ahead = leg[0, 3] * self.vehicle.limits.forward_mps / 2.0
        held = [(v, a) for v in (ahead, -leg[0, 3] * 0.4) for a in ANGLES * lock]
        noise[-len(held) :] = np.array(held)[:, None, :] - plan[None]
        cost = average(
            state,
            plan,
            np.ascontiguousarray(noise),
            leg,
            self.numbers,
            self.outline,
            near.walls,
            near.discs,
            self.margin_m,
            self.weights,
            TEMPERATURE,
        )
        if cost >= HIT:
            self.forget()
            return Command(0.0, float(state[4]))
        return Command(float(plan[0, 0]), float(plan[0, 1]))


PLANNER = Mppi
