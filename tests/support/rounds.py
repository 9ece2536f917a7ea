"""A corridor world, a robot that drives round in it, and what its sensors say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shopfloor.geometry import Odometry, Pose, Scan, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import Laser, front_and_rear, simulate_scan
from shopfloor.localisation import (
    DifferentialBase,
    Drift,
    Encoders,
    MecanumBase,
    WheelOdometry,
)

PERIOD_S = 0.1
SPEED_MPS = 0.8
TURN_RADPS = 0.8
LOOP = [(2.2, 2.2), (17.8, 2.2), (17.8, 11.8), (2.2, 11.8), (2.2, 2.2), (17.8, 2.2)]
"""66 m."""


def corridor_world() -> Grid:
    """Corridors of 2.4 m around a block, with niches, pillars and a side room."""
    cells = np.ones((280, 400), np.bool_)

    def carve(x: float, y: float, length: float, width: float) -> None:
        row, column = round(y * 20), round(x * 20)
        cells[row : row + round(width * 20), column : column + round(length * 20)] = 0

    carve(1.0, 1.0, 18.0, 2.4)
    carve(1.0, 10.6, 18.0, 2.4)
    carve(1.0, 1.0, 2.4, 12.0)
    carve(16.6, 1.0, 2.4, 12.0)
    for x, y, length, width in (
        (5.0, 0.6, 1.2, 0.5),
        (11.5, 3.3, 0.9, 0.8),
        (13.0, 0.4, 2.0, 0.7),
        (7.0, 12.9, 1.6, 0.6),
        (12.0, 9.8, 1.0, 0.9),
        (0.5, 5.0, 0.6, 1.0),
        (3.3, 8.0, 0.7, 1.4),
        (18.9, 6.0, 0.6, 1.8),
        (15.9, 4.5, 0.8, 0.8),
        (5.0, 5.0, 9.0, 4.0),
        (9.0, 3.3, 1.2, 2.0),
    ):
        carve(x, y, length, width)
    for x, y in ((8.0, 1.2), (14.5, 12.2), (1.2, 9.5), (6.5, 6.5), (11.0, 7.4)):
        row, column = round(y * 20), round(x * 20)
        cells[row : row + 6, column : column + 6] = 1
    return Grid.of(cells, 0.05)


def drive(points: list[tuple[float, float]], differential: bool) -> list[Pose]:
    """True poses every period: along the points, turning towards the next."""
    heading = math.atan2(points[1][1] - points[0][1], points[1][0] - points[0][0])
    poses = [Pose(*points[0], heading)]
    for a, b in pairwise(points):
        there = Pose(*b)
        wanted = math.atan2(b[1] - a[1], b[0] - a[0])
        if differential:
            while abs(wrapped(wanted - poses[-1].yaw_rad)) > 1e-9:
                poses.append(_turned(poses[-1], wanted))
        while poses[-1].distance_to(there) > 1e-9:
            here = poses[-1]
            step = min(SPEED_MPS * PERIOD_S, here.distance_to(there))
            bearing = here.bearing_to(there)
            moved = Pose(
                here.x_m + step * math.cos(bearing),
                here.y_m + step * math.sin(bearing),
                here.yaw_rad,
            )
            poses.append(_turned(moved, wanted))
    return poses


def _turned(pose: Pose, wanted_rad: float) -> Pose:
    turn = wrapped(wanted_rad - pose.yaw_rad)
    most = TURN_RADPS * PERIOD_S
    return Pose(pose.x_m, pose.y_m, wrapped(pose.yaw_rad + max(-most, min(most, turn))))


@dataclass
class Reading:
    at_s: float
    truth: Pose
    odometry: Odometry
    scans: list[Scan]


def readings(
    grid: Grid,
    truth: list[Pose],
    seed: int,
    differential: bool = False,
    phantom_share: float = 0.05,
    lasers: tuple[Laser, ...] = (),
    discs: Any = (),
    drift: Drift | None = None,
) -> Iterator[Reading]:
    print(f"seed {seed}")
    random = np.random.default_rng(seed)
    base = DifferentialBase() if differential else MecanumBase()
    encoders = Encoders(base, random, drift or Drift(scale_error=0.01, slip=0.01))
    wheels = WheelOdometry(base, truth[0])
    lasers = lasers or front_and_rear(
        beams=136, noise_m=0.02, dropout_share=0.02, phantom_share=phantom_share
    )
    wheels.update(0.0, encoders.ticks)
    before = truth[0]
    for i, pose in enumerate(truth):
        odometry = wheels.update(i * PERIOD_S, encoders.advance(before, pose))
        before = pose
        scans = [
            simulate_scan(grid, pose, laser, random, (), discs) for laser in lasers
        ]
        yield Reading(i * PERIOD_S, pose, odometry, scans)
