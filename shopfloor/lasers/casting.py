"""Asking what a laser would see from a pose: on a map, or among loose shapes."""

from __future__ import annotations

import math
from typing import Any
from typing import cast as typed

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.grid.kernels import grown_by_one, squared_distances
from shopfloor.lasers import ray_kernels, shape_kernels
from shopfloor.lasers.errors import (
    UnusableLaser,
    UnusablePose,
    UnusableScan,
    UnusableShapes,
)

NO_SEGMENTS = np.empty((0, 4))
NO_DISCS = np.empty((0, 3))


def cast(
    grid: Grid, pose: Pose, angles_rad: NDArray[np.float64], max_m: float
) -> NDArray[np.float64]:
    """Distance along each angle, counted from the pose's heading, to a blocked cell.

    Infinite where nothing is blocked within the reach; beyond the edge of the map
    there is nothing to see. 0 from inside a blocked cell.
    """
    starts = start_in_cells(grid, pose)
    return typed("NDArray[np.float64]", _cast_from(grid, starts, angles_rad, max_m)[0])


def cast_many(
    grid: Grid,
    poses: NDArray[np.float64],
    angles_rad: NDArray[np.float64],
    max_m: float,
) -> NDArray[np.float64]:
    """As :func:`cast` from many poses, rows of x_m, y_m, yaw_rad; one row each."""
    return _cast_from(grid, in_cells(grid, poses), angles_rad, max_m)


def _cast_from(
    grid: Grid,
    starts: NDArray[np.float64],
    angles_rad: NDArray[np.float64],
    max_m: float,
) -> NDArray[np.float64]:
    angles = _angles(angles_rad)
    check_reach(max_m)
    ranges = np.empty((len(starts), len(angles)))
    ray_kernels.cast_rays(
        room_of(grid),
        grid.stride,
        starts,
        np.cos(angles),
        np.sin(angles),
        max_m / grid.resolution_m,
        grid.resolution_m,
        ranges,
    )
    return ranges


def cast_segments(
    segments: ArrayLike,
    discs: ArrayLike,
    pose: Pose,
    angles_rad: NDArray[np.float64],
    max_m: float,
) -> NDArray[np.float64]:
    """Distance along each angle to segments (ax, ay, bx, by) and discs (x, y, r)."""
    if not pose.is_finite:
        raise UnusablePose(f"a pose is three finite numbers, not {pose}")
    check_reach(max_m)
    angles = _angles(angles_rad)
    ranges = np.full(len(angles), math.inf)
    shape_kernels.cast_on_shapes(
        checked_shapes(segments, 4),
        checked_shapes(discs, 3),
        pose.x_m,
        pose.y_m,
        pose.yaw_rad,
        angles,
        ranges,
    )
    ranges[ranges > max_m] = math.inf
    return ranges


def box_segments(
    x_m: float, y_m: float, length_m: float, width_m: float, yaw_rad: float = 0.0
) -> NDArray[np.float64]:
    """The four sides of a box about its centre."""
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    half = 0.5 * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    corners = half * np.array([length_m, width_m]) @ np.array([[cos, sin], [-sin, cos]])
    corners += np.array([x_m, y_m])
    return np.hstack([corners, np.roll(corners, -1, axis=0)])


def room_of(grid: Grid) -> NDArray[np.uint8]:
    """How far a ray may jump from each cell; worked out once per map."""
    room = grid.prepared.get("room_for_rays")
    if room is None:
        padded = grid.blocked.reshape(grid.height + 2, grid.stride)
        squared = squared_distances(grown_by_one(padded))
        room = ray_kernels.room_codes(padded, squared)
        room.flags.writeable = False
        grid.prepared["room_for_rays"] = room
    return typed("NDArray[np.uint8]", room)


def in_cells(grid: Grid, poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Poses in metres to padded cells, refused unless all are on the map."""
    poses = np.asarray(poses, np.float64)
    if poses.ndim != 2 or poses.shape[1] != 3:
        raise UnusablePose(f"poses are rows of x, y and yaw, not {poses.shape}")
    if not np.isfinite(poses).all():
        raise UnusablePose("a pose is three finite numbers")
    left, bottom, yaw = grid.origin
    cos, sin = math.cos(yaw), math.sin(yaw)
    dx, dy = poses[:, 0] - left, poses[:, 1] - bottom
    cells = np.empty(poses.shape)
    cells[:, 0] = (cos * dx + sin * dy) / grid.resolution_m + 1.0
    cells[:, 1] = (cos * dy - sin * dx) / grid.resolution_m + 1.0
    cells[:, 2] = poses[:, 2] - yaw
    x, y = cells[:, 0], cells[:, 1]
    off = (x < 1.0) | (x >= grid.width + 1.0) | (y < 1.0) | (y >= grid.height + 1.0)
    if off.any():
        first = poses[int(np.argmax(off))]
        raise UnusablePose(f"({first[0]:g}, {first[1]:g}) is not on the map")
    return cells


def start_in_cells(grid: Grid, pose: Pose) -> NDArray[np.float64]:
    """The same for one pose, as the only row."""
    if not pose.is_finite:
        raise UnusablePose(f"a pose is three finite numbers, not {pose}")
    x, y = grid.to_cells(pose.x_m, pose.y_m)
    if not grid.holds(x, y):
        raise UnusablePose(f"({pose.x_m:g}, {pose.y_m:g}) is not on the map")
    return np.array([[x, y, pose.yaw_rad - grid.origin[2]]])


def check_reach(max_m: float) -> None:
    if not math.isfinite(max_m) or max_m <= 0.0:
        raise UnusableLaser(f"a laser reaches more than 0 m, not {max_m}")


def checked_shapes(shapes: ArrayLike, columns: int) -> NDArray[np.float64]:
    rows: NDArray[Any] = np.asarray(shapes, np.float64)
    if rows.size == 0:
        return NO_SEGMENTS if columns == 4 else NO_DISCS
    if rows.ndim != 2 or rows.shape[1] != columns:
        raise UnusableShapes(f"a shape has {columns} numbers; given are {rows.shape}")
    if not np.isfinite(rows).all():
        raise UnusableShapes("a shape is made of finite numbers")
    if columns == 3 and (rows[:, 2] < 0.0).any():
        raise UnusableShapes("a disc's radius is 0 m or more")
    return np.ascontiguousarray(rows)


def _angles(angles_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    angles = np.ascontiguousarray(angles_rad, np.float64)
    if angles.ndim != 1 or not np.isfinite(angles).all():
        raise UnusableScan("angles are a row of finite numbers")
    return angles
