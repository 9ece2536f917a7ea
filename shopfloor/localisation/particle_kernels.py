"""The particle filter's array work: moving, resampling, counting, summing up.

Particles are rows of x_m, y_m, yaw_rad in the map frame. All randomness comes in as
arrays or numbers drawn outside, so a seed repeats a run exactly.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

STILL_M = 0.005
"""Below this a step has no direction worth the name."""


@kernel
def _turned(angle: float) -> float:
    return float(angle - math.tau * np.round(angle / math.tau))


@kernel
def move_differential(
    particles: NDArray[np.float64],
    step: NDArray[np.float64],
    alphas: NDArray[np.float64],
    floor: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> None:
    """Turn, go, turn: each part of the odometry's step is wrong on its own."""
    way = math.sqrt(step[0] * step[0] + step[1] * step[1])
    first = math.atan2(step[1], step[0]) if way > STILL_M else 0.0
    second = _turned(step[2] - first)
    # Going backwards is no half turn.
    turn_1 = min(abs(first), math.pi - abs(first))
    turn_2 = min(abs(second), math.pi - abs(second))
    sd_1 = math.sqrt(alphas[0] * turn_1 * turn_1 + alphas[1] * way * way)
    sd_2 = math.sqrt(alphas[0] * turn_2 * turn_2 + alphas[1] * way * way)
    turning = turn_1 * turn_1 + turn_2 * turn_2
    sd_way = math.sqrt(alphas[2] * way * way + alphas[3] * turning)
    moving = way > 0.0 or step[2] != 0.0
    for i in range(particles.shape[0]):
        yaw = particles[i, 2] + first + sd_1 * noise[i, 0]
        gone = way + (sd_way + floor[0] * moving) * noise[i, 1]
        particles[i, 0] += gone * math.cos(yaw)
        particles[i, 1] += gone * math.sin(yaw)
        particles[i, 2] = _turned(
            yaw + second + (sd_2 + floor[1] * moving) * noise[i, 2]
        )


@kernel
def move_holonomic(
    particles: NDArray[np.float64],
    step: NDArray[np.float64],
    alphas: NDArray[np.float64],
    floor: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> None:
    """Sideways is as uncertain as ahead: rollers slip both ways."""
    way2 = step[0] * step[0] + step[1] * step[1]
    turn2 = step[2] * step[2]
    moving = way2 > 0.0 or turn2 > 0.0
    sd_yaw = math.sqrt(alphas[0] * turn2 + alphas[1] * way2) + floor[1] * moving
    sd_way = math.sqrt(alphas[2] * way2 + alphas[3] * turn2) + floor[0] * moving
    for i in range(particles.shape[0]):
        cos, sin = math.cos(particles[i, 2]), math.sin(particles[i, 2])
        dx = step[0] + sd_way * noise[i, 0]
        dy = step[1] + sd_way * noise[i, 1]
        particles[i, 0] += cos * dx - sin * dy
        particles[i, 1] += sin * dx + cos * dy
        particles[i, 2] = _turned(particles[i, 2] + step[2] + sd_yaw * noise[i, 2])


@kernel
def resample(
    particles: NDArray[np.float64],
    weights: NDArray[np.float64],
    count: int,
    offset: float,
) -> NDArray[np.float64]:
    """Low variance: one random offset below 1, then evenly through the weights."""
    chosen = np.empty((count, 3))
    source = 0
    reached = weights[0]
    for i in range(count):
        wanted = (i + offset) / count
        while reached < wanted and source < weights.size - 1:
            source += 1
            reached += weights[source]
        chosen[i] = particles[source]
    return chosen


@kernel
def bins_of(
    particles: NDArray[np.float64], bin_m: float, bin_rad: float
) -> NDArray[np.int64]:
    """A number per particle; equal numbers share a bin of the histogram."""
    keys = np.empty(particles.shape[0], np.int64)
    turns = int(np.ceil(math.tau / bin_rad))
    for i in range(particles.shape[0]):
        column = np.int64(np.floor(particles[i, 0] / bin_m)) + 1_000_000
        row = np.int64(np.floor(particles[i, 1] / bin_m)) + 1_000_000
        turn = np.int64(np.floor((particles[i, 2] + math.pi) / bin_rad)) % turns
        keys[i] = (column * 2_000_001 + row) * turns + turn
    return keys


@kernel
def count_bins(keys: NDArray[np.int64]) -> int:
    ordered = np.sort(keys)
    count = 1
    for i in range(1, ordered.size):
        if ordered[i] != ordered[i - 1]:
            count += 1
    return count


@kernel
def heaviest(keys: NDArray[np.int64], weights: NDArray[np.float64]) -> int:
    """A particle of the bin that weighs most."""
    order = np.argsort(keys)
    best, best_weight = order[0], -1.0
    begin = 0
    while begin < order.size:
        end = begin
        total = 0.0
        while end < order.size and keys[order[end]] == keys[order[begin]]:
            total += weights[order[end]]
            end += 1
        if total > best_weight:
            best, best_weight = order[begin], total
        begin = end
    return int(best)


@kernel
def sum_up(
    particles: NDArray[np.float64],
    weights: NDArray[np.float64],
    seed: int,
    window_m: float,
    window_rad: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Mean, covariance and weight of the cluster around a particle (mean shift)."""
    x, y, yaw = particles[seed, 0], particles[seed, 1], particles[seed, 2]
    total = 0.0
    for _ in range(6):
        total, to_x, to_y, to_yaw = 0.0, 0.0, 0.0, 0.0
        for i in range(particles.shape[0]):
            dx, dy = particles[i, 0] - x, particles[i, 1] - y
            turn = _turned(particles[i, 2] - yaw)
            if dx * dx + dy * dy <= window_m * window_m and abs(turn) <= window_rad:
                total += weights[i]
                to_x += weights[i] * dx
                to_y += weights[i] * dy
                to_yaw += weights[i] * turn
        if total <= 0.0:
            break
        x += to_x / total
        y += to_y / total
        yaw = _turned(yaw + to_yaw / total)
        if to_x * to_x + to_y * to_y < 1e-12 * total * total:
            break
    covariance = np.zeros((3, 3))
    if total > 0.0:
        away = np.empty(3)
        for i in range(particles.shape[0]):
            away[0], away[1] = particles[i, 0] - x, particles[i, 1] - y
            away[2] = _turned(particles[i, 2] - yaw)
            near = away[0] * away[0] + away[1] * away[1] <= window_m * window_m
            if near and abs(away[2]) <= window_rad:
                for a in range(3):
                    for b in range(3):
                        covariance[a, b] += weights[i] * away[a] * away[b] / total
    return np.array([x, y, yaw]), covariance, total
