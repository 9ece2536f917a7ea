"""Rays in space against walls that stand straight up, and the ground.

Every azimuth meets walls in the same order whatever its elevation, so each wall is met
once and all lines of the laser look whether it is high enough.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.lasers.shape_kernels import _to_disc, _to_segment


@kernel
def cast_lines(
    walls: NDArray[np.float64],
    wall_heights: NDArray[np.float64],
    discs: NDArray[np.float64],
    disc_heights: NDArray[np.float64],
    x: float,
    y: float,
    z: float,
    yaw: float,
    azimuths: NDArray[np.float64],
    slopes: NDArray[np.float64],
    most: float,
    level: NDArray[np.float64],
) -> None:
    """Distances over the ground, a row per slope (tangent of the elevation), infinite
    beyond ``most``."""
    for beam in range(azimuths.size):
        dx, dy = math.cos(yaw + azimuths[beam]), math.sin(yaw + azimuths[beam])
        for line in range(slopes.size):
            # A ray that looks down ends on the ground.
            slope = slopes[line]
            level[line, beam] = z / -slope if slope < 0.0 else math.inf
        for body in range(walls.shape[0] + discs.shape[0]):
            if body < walls.shape[0]:
                there = _to_segment(
                    walls[body, 0] - x,
                    walls[body, 1] - y,
                    walls[body, 2] - x,
                    walls[body, 3] - y,
                    dx,
                    dy,
                )
                height = wall_heights[body]
            else:
                disc = body - walls.shape[0]
                there = _to_disc(
                    discs[disc, 0] - x, discs[disc, 1] - y, discs[disc, 2], dx, dy
                )
                height = disc_heights[disc]
            if there > most:
                continue
            for line in range(slopes.size):
                if there < level[line, beam] and z + there * slopes[line] <= height:
                    level[line, beam] = there
        for line in range(slopes.size):
            # The reach counts along the ray.
            stretch = math.sqrt(1.0 + slopes[line] * slopes[line])
            if level[line, beam] * stretch > most:
                level[line, beam] = math.inf
