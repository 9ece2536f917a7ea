"""Reading both lasers once per cycle, for the emergency stop and the honest speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.control import watch_kernels
from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid

EXPLAINED_M = 0.15
"""A return nearer to a mapped obstacle is that obstacle."""
ESCAPE_ROOM_M = 0.05
"""Between the hull and everything, on the way out."""


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest return: from the hull, and where, in the robot's frame."""

    clearance_m: float = math.inf
    x_m: float = 0.0
    y_m: float = 0.0


def in_grid_frame(grid: Grid, pose: Pose) -> tuple[float, float, float]:
    """The pose in metres and radians from the corner of the map's first cell."""
    x, y = grid.to_cells(pose.x_m, pose.y_m)
    return (
        (x - 1.0) * grid.resolution_m,
        (y - 1.0) * grid.resolution_m,
        pose.yaw_rad - grid.origin[2],
    )


class Surroundings:
    """What both lasers saw, as points around the robot. Reused from cycle to cycle."""

    def __init__(self, grid: Grid, radius_m: float, explained_m: float = EXPLAINED_M):
        self._grid = grid
        self._distance = grid.distance_m
        self._radius_m = radius_m
        self._explained_m = explained_m
        self._points = np.empty((2048, 3))
        self._known = np.empty(2048, np.uint8)
        self._size = 0
        self.beams = 0
        self.seen = 0

    @property
    def points(self) -> NDArray[np.float64]:
        """Rows x, y, range in the robot's frame."""
        return self._points[: self._size]

    @property
    def known(self) -> NDArray[np.uint8]:
        return self._known[: self._size]

    def look(self, pose: Pose, scans: Sequence[Scan]) -> None:
        beams = sum(len(scan.ranges_m) for scan in scans)
        if beams > len(self._points):
            self._points = np.empty((beams, 3))
            self._known = np.empty(beams, np.uint8)
        size = 0
        for scan in scans:
            size += watch_kernels.returns(
                scan.ranges_m,
                scan.angle_min_rad,
                scan.angle_step_rad,
                scan.range_max_m,
                scan.mount.x_m,
                scan.mount.y_m,
                scan.mount.yaw_rad,
                self._points[size:],
            )
        self._size = size
        watch_kernels.tell_known(
            self._points,
            size,
            *in_grid_frame(self._grid, pose),
            self._grid.resolution_m,
            self._distance,
            self._explained_m,
            self._known,
        )

    def nearest(self, *, unexplained: bool) -> Near:
        away, x, y = watch_kernels.nearest(
            self._points, self._known, self._size, unexplained
        )
        return Near(away - self._radius_m, x, y)

    def has_return_near(self, x_m: float, y_m: float, within_m: float) -> bool:
        """Is anything seen near this point of the robot's frame."""
        points = self.points
        gap = np.hypot(points[:, 0] - x_m, points[:, 1] - y_m)
        return bool((gap <= within_m).any())

    def free_m(self, dx: float, dy: float, margin_m: float = 0.02) -> float:
        """Room for the hull along a direction of the robot's frame."""
        size = math.hypot(dx, dy)
        if size == 0.0:
            return math.inf
        return watch_kernels.free_along(
            self._points, self._size, dx / size, dy / size, self._radius_m + margin_m
        )

    def kept_off(
        self,
        vx_mps: float,
        vy_mps: float,
        keep_m: float,
        braking_mps2: float,
        latency_s: float,
        *,
        slide: bool,
    ) -> tuple[float, float]:
        """What is left of a velocity that keeps the hull so far from everything."""
        return watch_kernels.kept_off(
            self._points,
            self._size,
            vx_mps,
            vy_mps,
            self._radius_m,
            keep_m,
            braking_mps2,
            latency_s,
            slide,
        )

    def way_out(
        self, thing: Near, reach_m: float, directions: int = 24
    ) -> tuple[float, float] | None:
        """A direction that leads away from a thing through free room, if any."""
        score, dx, dy = watch_kernels.way_out(
            self._points,
            self._size,
            thing.x_m,
            thing.y_m,
            self._radius_m + ESCAPE_ROOM_M,
            reach_m,
            directions,
        )
        return (dx, dy) if score > 0.0 else None
