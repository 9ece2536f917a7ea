"""Slow down where somebody may step out: no faster than what can be seen allows.

The emergency stop and the honest speed answer to what the lasers see. Behind a corner
they see nothing, and whoever steps out from there is met at once. So a corner close to
the way counts as if somebody came around it: the robot gets there at a speed from which
it stops within a hand's breadth, and sees more with every centimetre.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.limits import RobotLimits
from shopfloor.control.watching import Surroundings, in_grid_frame
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.local.blind_kernels import nearest_blind_corner

BESIDE_M = 0.6
"""From the hull: whoever steps out farther away is seen in time."""
LOOK_AHEAD_M = 2.0
BODY_M = 0.3
CREEP_MPS = 0.3
"""At which the corner itself is passed."""


def speed_at_corners(
    grid: Grid,
    pose: Pose,
    around: Surroundings,
    way: NDArray[np.float64],
    limits: RobotLimits,
) -> float:
    """The speed that blind corners beside the way leave to the robot."""
    if len(way) < 2:
        return limits.speed_mps
    corner_m = nearest_blind_corner(
        around.points,
        len(around.points),
        np.ascontiguousarray(way),
        pose.x_m,
        pose.y_m,
        pose.yaw_rad,
        *in_grid_frame(grid, pose),
        grid.resolution_m,
        grid.distance_m,
        limits.radius_m + BESIDE_M,
        LOOK_AHEAD_M,
    )
    free_m = corner_m - limits.radius_m - BODY_M
    return min(limits.speed_mps, max(limits.honest_speed_mps(free_m), CREEP_MPS))
