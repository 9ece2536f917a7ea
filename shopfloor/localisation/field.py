"""Tables of a map that tell how likely a laser's beam ends at a place.

Distances count from the faces of obstacles, outwards and inwards. A beam cannot end
deep inside a rack, so a pose that would need it is as unlikely as one that puts the
beam's end in the open; with distances from obstacle cells alone it would be perfect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid
from shopfloor.grid.kernels import squared_distances
from shopfloor.lasers import cast as cast_rays
from shopfloor.localisation.field_kernels import near_face, thin

FAR_CELLS = 1e6
"""Of a cell on a map without obstacles, and of cells beside the map."""


def face_cells(grid: Grid) -> NDArray[np.float32]:
    """Flat, padded: from each cell's centre to the nearest face, in cells."""
    table = grid.prepared.get("face_cells")
    if table is None:
        cells = np.ascontiguousarray(grid.cells)
        outside = np.sqrt(squared_distances(cells).astype(np.float64))
        inside = np.sqrt(squared_distances(1 - cells).astype(np.float64))
        table = np.full((grid.height + 2, grid.stride), FAR_CELLS, np.float32)
        table[1:-1, 1:-1] = np.where(cells == 0, outside, inside) - 0.5
        table = table.reshape(-1)
        table.flags.writeable = False
        grid.prepared["face_cells"] = table
    return cast("NDArray[np.float32]", table)


def log_likelihoods(
    grid: Grid, hit_m: float, random_share: float
) -> NDArray[np.float32]:
    """Flat, padded: log of a bell around each face upon a floor of chance."""
    key = f"log_likelihoods {hit_m} {random_share}"
    table = grid.prepared.get(key)
    if table is None:
        away = face_cells(grid).astype(np.float64) * (grid.resolution_m / hit_m)
        bell = np.exp(-0.5 * np.minimum(away, 50.0) ** 2)
        table = np.log((1.0 - random_share) * bell + random_share).astype(np.float32)
        table.flags.writeable = False
        grid.prepared[key] = table
    return cast("NDArray[np.float32]", table)


def frame_of(grid: Grid) -> NDArray[np.float64]:
    """x, y, yaw of the map and metres per cell, as kernels take them."""
    return np.array([*grid.origin, grid.resolution_m])


def beam_ends(scans: Sequence[Scan], most: int) -> NDArray[np.float64]:
    """Where beams ended, in the robot's frame, evenly thinned to at most so many."""
    share = max(most // len(scans), 1)
    points = []
    for scan in scans:
        angles, ranges = thinned(scan, share)
        angles = angles + scan.mount.yaw_rad
        ends = np.empty((len(ranges), 2))
        ends[:, 0] = scan.mount.x_m + ranges * np.cos(angles)
        ends[:, 1] = scan.mount.y_m + ranges * np.sin(angles)
        points.append(ends)
    return np.concatenate(points)


def thinned(scan: Scan, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Angles and ranges of at most so many of the beams that saw something."""
    return thin(
        scan.ranges_m, scan.angle_min_rad, scan.angle_step_rad, scan.range_max_m, most
    )


def explained_beams(
    grid: Grid, pose: Pose, scan: Scan, tolerance_m: float = 0.15
) -> NDArray[np.bool_]:
    """Per beam: does it end at a face that the map knows, or in nothing.

    What is left is new: a box, a person, or a robot that is not where it believes.
    """
    explained = ~scan.hits
    x, y = grid.to_cells(pose.x_m, pose.y_m)
    explained[scan.hits] = near_face(
        face_cells(grid),
        grid.stride,
        scan.points_m() / grid.resolution_m,
        x,
        y,
        pose.yaw_rad - grid.origin[2],
        tolerance_m / grid.resolution_m,
    )
    return explained


def quality(
    grid: Grid,
    pose: Pose,
    scans: Sequence[Scan],
    beams: int = 60,
    tolerance_m: float = 0.15,
) -> float:
    """Share of beams that end at a known face without passing through another.

    0 off the map or inside an obstacle, and when no beam saw anything.
    """
    if not grid.is_free(pose.x_m, pose.y_m):
        return 0.0
    asked, good = 0, 0
    for scan in scans:
        angles, ranges = thinned(scan, max(beams // len(scans), 1))
        asked += len(ranges)
        eye = pose.plus(scan.mount)
        if len(ranges) == 0 or not grid.is_free(eye.x_m, eye.y_m):
            continue
        ends = np.empty((len(ranges), 2))
        ends[:, 0] = ranges * np.cos(angles)
        ends[:, 1] = ranges * np.sin(angles)
        x, y = grid.to_cells(eye.x_m, eye.y_m)
        near = near_face(
            face_cells(grid),
            grid.stride,
            ends / grid.resolution_m,
            x,
            y,
            eye.yaw_rad - grid.origin[2],
            tolerance_m / grid.resolution_m,
        )
        expected = cast_rays(grid, eye, angles, scan.range_max_m)
        # Twice: a beam that grazes a face comes back from far behind or before.
        good += int(np.count_nonzero(near & (ranges <= expected + 2.0 * tolerance_m)))
    return good / asked if asked else 0.0
