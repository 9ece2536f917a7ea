"""How well poses agree with what lasers saw, by looking up where the beams end.

No ray is cast: each end of a beam is looked up in a table of log-likelihoods that
falls off with the distance to the nearest face of an obstacle. Points and poses are
in padded cells of the grid.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel


@kernel
def thin(
    ranges: NDArray[np.float64],
    angle_min: float,
    angle_step: float,
    range_max: float,
    most: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Angles and ranges of beams that saw something, evenly at most so many."""
    seen = 0
    for i in range(ranges.size):
        if ranges[i] <= range_max:
            seen += 1
    kept = min(seen, most)
    angles, picked = np.empty(kept), np.empty(kept)
    k, nth = 0, 0
    for i in range(ranges.size):
        if ranges[i] <= range_max:
            if k < kept and nth == (k * seen) // kept:
                angles[k] = angle_min + angle_step * i
                picked[k] = ranges[i]
                k += 1
            nth += 1
    return angles, picked


@kernel
def score_pose(
    table: NDArray[np.float32],
    stride: int,
    points: NDArray[np.float64],
    x: float,
    y: float,
    yaw: float,
    outside: float,
) -> float:
    """Mean log-likelihood of the points (in the robot's frame) seen from a pose."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    rows = table.size // stride
    total = 0.0
    for p in range(points.shape[0]):
        px, py = points[p, 0], points[p, 1]
        there_x = x + cos * px - sin * py
        there_y = y + sin * px + cos * py
        if 0.0 <= there_x < stride and 0.0 <= there_y < rows:
            total += float(table[int(there_y) * stride + int(there_x)])
        else:
            total += outside
    return float(total / points.shape[0])


@kernel
def score_poses(
    table: NDArray[np.float32],
    stride: int,
    points: NDArray[np.float64],
    poses: NDArray[np.float64],
    frame: NDArray[np.float64],
    outside: float,
    scores: NDArray[np.float64],
) -> None:
    """Poses are in metres; the frame is x, y, yaw of the map and metres per cell."""
    cos, sin = math.cos(frame[2]), math.sin(frame[2])
    per_m = 1.0 / frame[3]
    for i in range(poses.shape[0]):
        dx, dy = poses[i, 0] - frame[0], poses[i, 1] - frame[1]
        x = (cos * dx + sin * dy) * per_m + 1.0
        y = (cos * dy - sin * dx) * per_m + 1.0
        yaw = poses[i, 2] - frame[2]
        scores[i] = score_pose(table, stride, points, x, y, yaw, outside)


@kernel
def search_headings(
    table: NDArray[np.float32],
    stride: int,
    points: NDArray[np.float64],
    places: NDArray[np.float64],
    headings: int,
    outside: float,
    best_yaw: NDArray[np.float64],
    best_score: NDArray[np.float64],
) -> None:
    """The two best headings, a quarter turn or more apart, of every place."""
    step = math.tau / headings
    scores = np.empty(headings)
    for i in range(places.shape[0]):
        for h in range(headings):
            scores[h] = score_pose(
                table, stride, points, places[i, 0], places[i, 1], h * step, outside
            )
        first = int(np.argmax(scores))
        second = -1
        for h in range(headings):
            apart = abs(h - first)
            apart = min(apart, headings - apart)
            if apart * 4 >= headings and (second < 0 or scores[h] > scores[second]):
                second = h
        best_yaw[2 * i], best_score[2 * i] = first * step, scores[first]
        best_yaw[2 * i + 1], best_score[2 * i + 1] = second * step, scores[second]


@kernel
def climb(
    table: NDArray[np.float32],
    stride: int,
    points: NDArray[np.float64],
    poses: NDArray[np.float64],
    reach_cells: float,
    reach_rad: float,
    halvings: int,
    outside: float,
    scores: NDArray[np.float64],
) -> None:
    """Move each pose uphill, trying smaller and smaller steps; in place."""
    tries = np.array(
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], dtype=np.float64
    )
    for i in range(poses.shape[0]):
        x, y, yaw = poses[i, 0], poses[i, 1], poses[i, 2]
        best = score_pose(table, stride, points, x, y, yaw, outside)
        step, turn = reach_cells, reach_rad
        for _ in range(halvings):
            improved = True
            rounds = 0
            while improved and rounds < 20:
                improved = False
                rounds += 1
                for axis in range(3):
                    for sign in (-1.0, 1.0):
                        there_x = x + sign * step * tries[axis, 0]
                        there_y = y + sign * step * tries[axis, 1]
                        there_yaw = yaw + sign * turn * tries[axis, 2]
                        score = score_pose(
                            table, stride, points, there_x, there_y, there_yaw, outside
                        )
                        if score > best:
                            x, y, yaw, best = there_x, there_y, there_yaw, score
                            improved = True
            step *= 0.5
            turn *= 0.5
        poses[i, 0], poses[i, 1], poses[i, 2] = x, y, yaw
        scores[i] = best


@kernel
def near_face(
    face: NDArray[np.float32],
    stride: int,
    points: NDArray[np.float64],
    x: float,
    y: float,
    yaw: float,
    tolerance: float,
) -> NDArray[np.bool_]:
    """Which points lie within the tolerance of the face of a mapped obstacle."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    rows = face.size // stride
    near = np.zeros(points.shape[0], np.bool_)
    for p in range(points.shape[0]):
        there_x = x + cos * points[p, 0] - sin * points[p, 1]
        there_y = y + sin * points[p, 0] + cos * points[p, 1]
        if 0.0 <= there_x < stride and 0.0 <= there_y < rows:
            near[p] = face[int(there_y) * stride + int(there_x)] <= tolerance
    return near
