"""Finding a robot that nobody tells where it is.

The whole map is searched on a lattice with a blurred table, the best places climb
uphill with ever sharper ones, and rays decide at the end: a place that needs beams to
pass through walls is no place. What looks the same from two places stays two
hypotheses; only driving tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Pose, Scan, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import check_scan
from shopfloor.localisation import field_kernels
from shopfloor.localisation.errors import NothingFree
from shopfloor.localisation.field import beam_ends, log_likelihoods, quality

HEADINGS = 48
MOST_PLACES = 60_000
CLIMBERS = 240
FLOOR = 0.05
TOUCHING_M = 0.3
LEAST_SEEN = 0.2
"""Share of the beams that must tell something before a place is looked for."""
SAME_M = 0.4
SAME_RAD = 0.4


@dataclass(frozen=True, slots=True)
class Hypothesis:
    pose: Pose
    quality: float
    """Share of the beams that the map explains, by rays."""
    score: float
    """Mean log-likelihood of the beams."""


def free_cells(grid: Grid) -> NDArray[np.int64]:
    """Rows (row, column) of the map's free cells."""
    cells = grid.prepared.get("free_cells")
    if cells is None:
        cells = np.argwhere(grid.cells == 0)
        if len(cells) == 0:
            raise NothingFree("the map has no free cell to stand on")
        grid.prepared["free_cells"] = cells
    return cast("NDArray[np.int64]", cells)


def random_poses(
    grid: Grid, count: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """Anywhere free, looking anywhere."""
    free = free_cells(grid)
    chosen = free[random.integers(0, len(free), count)]
    poses = np.empty((count, 3))
    poses[:, :2] = grid.to_metres(chosen[:, ::-1] + 1.0 + random.random((count, 2)))
    poses[:, 2] = random.uniform(-math.pi, math.pi, count)
    return poses


def relocalise(
    grid: Grid,
    scans: Sequence[Scan],
    random: np.random.Generator,
    body_m: float = 0.2,
    most: int = 8,
) -> list[Hypothesis]:
    """Where on the map these scans can have been taken, best first; may be empty."""
    for scan in scans:
        check_scan(scan)
    beams = sum(len(scan.ranges_m) for scan in scans)
    scans = [_beyond_touch(scan) for scan in scans]
    seen = sum(int(np.count_nonzero(scan.hits)) for scan in scans)
    if seen < max(3, LEAST_SEEN * beams):
        return []
    ends = beam_ends(scans, 120) / grid.resolution_m
    places = _lattice(grid, body_m, random)
    yaws, scores = np.empty(2 * len(places)), np.empty(2 * len(places))
    blurred = log_likelihoods(grid, 0.3, FLOOR)
    field_kernels.search_headings(
        blurred,
        grid.stride,
        np.ascontiguousarray(ends[:: max(len(ends) // 36, 1)]),
        places,
        HEADINGS,
        math.log(FLOOR),
        yaws,
        scores,
    )
    poses = np.column_stack([np.repeat(places, 2, axis=0), yaws])
    poses = poses[np.argsort(-scores, kind="stable")]
    poses = np.ascontiguousarray(_distinct(grid, poses, CLIMBERS))
    scores = np.empty(len(poses))
    for hit_m, reach_m, reach_rad, halvings in (
        (0.3, 0.12, math.radians(4.0), 3),
        (0.1, 0.06, math.radians(2.0), 5),
    ):
        field_kernels.climb(
            log_likelihoods(grid, hit_m, FLOOR),
            grid.stride,
            ends,
            poses,
            reach_m / grid.resolution_m,
            reach_rad,
            halvings,
            math.log(FLOOR),
            scores,
        )
    order = np.argsort(-scores, kind="stable")
    kept = _distinct(grid, poses[order], 4 * most)
    found = []
    for x, y, yaw in kept:
        point = grid.to_metres(np.array([[x, y]]))[0]
        pose = Pose(float(point[0]), float(point[1]), wrapped(yaw + grid.origin[2]))
        same = (poses[:, 0] == x) & (poses[:, 1] == y) & (poses[:, 2] == yaw)
        score = float(scores[same].max())
        found.append(Hypothesis(pose, quality(grid, pose, scans, 120), score))
    found.sort(key=lambda h: -(h.quality + h.score / -math.log(FLOOR)))
    return found[:most]


def _beyond_touch(scan: Scan) -> Scan:
    """Without what stands at the robot's side: it fits beside every wall."""
    far = np.where(scan.ranges_m < TOUCHING_M, math.inf, scan.ranges_m)
    return replace(scan, ranges_m=far)


def _lattice(
    grid: Grid, body_m: float, random: np.random.Generator
) -> NDArray[np.float64]:
    """Free places in padded cells, evenly over the map, each a little shifted."""
    roomy = (grid.cells == 0) & (grid.distance_m >= body_m)
    if not roomy.any():
        free_cells(grid)
        roomy = grid.cells == 0
    area = int(np.count_nonzero(roomy))
    pitch = max(int(0.2 / grid.resolution_m), math.ceil(math.sqrt(area / MOST_PLACES)))
    pitch = max(pitch, 1)
    rows, columns = np.nonzero(roomy)
    kept = (rows % pitch == 0) & (columns % pitch == 0)
    if not kept.any():
        kept[:] = True
    places = np.column_stack([columns[kept], rows[kept]]) + 1.0
    return np.asarray(places + random.random(places.shape))


def _distinct(grid: Grid, poses: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """The first of every group of poses that are nearly the same, in padded cells."""
    near = SAME_M / grid.resolution_m
    kept = np.empty((most, 3))
    count = 0
    for pose in poses[: 40 * most]:
        away = kept[:count] - pose
        turn = np.abs(np.remainder(away[:, 2] + math.pi, math.tau) - math.pi)
        if not ((np.hypot(away[:, 0], away[:, 1]) < near) & (turn < SAME_RAD)).any():
            kept[count] = pose
            count += 1
            if count == most:
                break
    return kept[:count]
