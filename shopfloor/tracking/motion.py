"""How a tag may have moved since the last range: the only part in which a person and a
robot differ.

A person keeps a velocity for a while; a robot says by its wheels how it moved, though
not where to, since nobody told it which way it was facing.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.compiled import kernel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Walking:
    """A person: x, y and a velocity that is forgotten after ``memory_s``.

    A long memory is the constant-velocity model, a short one the random walk.
    """

    restlessness_m2ps3: float = 0.3
    memory_s: float = 5.0
    max_speed_mps: float = 2.5

    states = 4


@dataclass(frozen=True)
class Driving:
    """A robot: x, y and heading, moved by odometry in its own frame."""

    slip: float = 0.05
    turn_slip: float = 0.05
    drift_mps: float = 0.02
    drift_radps: float = 0.01

    states = 3

    def position_variance(self, distance_m: float, elapsed_s: float) -> float:
        return (self.slip * distance_m) ** 2 + self.drift_mps**2 * elapsed_s

    def turn_variance(self, turn_rad: float, elapsed_s: float) -> float:
        return (self.turn_slip * turn_rad) ** 2 + self.drift_radps**2 * elapsed_s


@kernel
def predict_walking(
    means: Floats,
    covariances: Floats,
    dt_s: float,
    restlessness: float,
    memory_s: float,
    max_speed_mps: float,
) -> None:
    share = dt_s / memory_s
    if share < 0.01:
        keep = 1.0 - share
        reach = dt_s
        q_xx = restlessness * dt_s**3 / 3.0
        q_xv = restlessness * dt_s**2 / 2.0
        q_vv = restlessness * dt_s
    else:
        keep = math.exp(-share)
        reach = memory_s * (1.0 - keep)
        q_vv = restlessness * memory_s * (1.0 - keep * keep) / 2.0
        q_xv = restlessness * reach * reach / 2.0
        q_xx = (
            restlessness
            * memory_s**2
            * (dt_s - 2.0 * reach + memory_s * (1.0 - keep * keep) / 2.0)
        )
    for row in range(means.shape[0]):
        mean, p = means[row], covariances[row]
        speed = math.sqrt(mean[2] * mean[2] + mean[3] * mean[3])
        if speed > max_speed_mps:
            mean[2] *= max_speed_mps / speed
            mean[3] *= max_speed_mps / speed
        for axis in range(2):
            mean[axis] += reach * mean[axis + 2]
            mean[axis + 2] *= keep
        size = means.shape[1]
        for i in range(2):
            for j in range(size):
                p[i, j] += reach * p[i + 2, j]
                p[i + 2, j] *= keep
        for i in range(size):
            for j in range(2):
                p[i, j] += reach * p[i, j + 2]
                p[i, j + 2] *= keep
        for axis in range(2):
            p[axis, axis] += q_xx
            p[axis, axis + 2] += q_xv
            p[axis + 2, axis] += q_xv
            p[axis + 2, axis + 2] += q_vv


@kernel
def predict_driving(
    means: Floats,
    covariances: Floats,
    forward_m: float,
    left_m: float,
    turn_rad: float,
    position_variance: float,
    turn_variance: float,
) -> None:
    for row in range(means.shape[0]):
        mean, p = means[row], covariances[row]
        heading = mean[2] + 0.5 * turn_rad
        along_x, along_y = math.cos(heading), math.sin(heading)
        step_x = forward_m * along_x - left_m * along_y
        step_y = forward_m * along_y + left_m * along_x
        mean[0] += step_x
        mean[1] += step_y
        mean[2] += turn_rad
        size = means.shape[1]
        for j in range(size):
            p[0, j] -= step_y * p[2, j]
            p[1, j] += step_x * p[2, j]
        for i in range(size):
            p[i, 0] -= step_y * p[i, 2]
            p[i, 1] += step_x * p[i, 2]
        p[0, 0] += position_variance
        p[1, 1] += position_variance
        p[2, 2] += turn_variance
