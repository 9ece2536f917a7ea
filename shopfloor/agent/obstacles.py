"""What a laser sees and the map does not have."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Pose
from shopfloor.grid import Grid

EXPECTED_M = 0.15
"""A point so near to a wall of the map is that wall: lasers and poses are not exact."""
NOTHING = (0.0, 0.0, 0.0)
Point3 = tuple[float, float, float]


def detect_obstacles(
    laser: Iterable[Point3], pose: Pose, grid: Grid
) -> NDArray[np.float64] | None:
    """Points on the floor, in metres of the map, that no wall explains; None: none.

    ``laser`` has a point for each beam as the robot sees it, and (0, 0, 0) where
    nothing is. What lies outside the map is nobody's business.
    """
    cos, sin = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
    found = []
    for x, y, z in laser:
        if (x, y, z) == NOTHING:
            continue
        there = pose.x_m + cos * x - sin * y, pose.y_m + sin * x + cos * y
        column, row = grid.to_cells(*there)
        if not grid.holds(column, row):
            continue
        away_m = float(grid.distance_m[int(row) - 1, int(column) - 1])
        if away_m > EXPECTED_M + grid.resolution_m:
            found.append(there)
    return np.array(found) if found else None
