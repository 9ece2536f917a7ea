"""Lasers as robots carry them, and what they report when simulated.

A real laser is noisy, loses beams on dark or shining things and now and then reports
dust. Whoever reads scans must live with all three, so the simulated one has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid
from shopfloor.lasers import ray_kernels, shape_kernels
from shopfloor.lasers.casting import (
    NO_DISCS,
    NO_SEGMENTS,
    check_reach,
    checked_shapes,
    room_of,
    start_in_cells,
)
from shopfloor.lasers.errors import UnusableLaser, UnusablePose, UnusableScan

FRONT, REAR = "front laser", "rear laser"
NOTHING = np.empty(0)
NO_DUST = np.empty((2, 0))


@dataclass(frozen=True)
class Laser:
    """Evenly spread beams, symmetric about the heading of the mount."""

    mount: Pose = field(default=Pose(0.0, 0.0, 0.0))
    beams: int = 541
    field_of_view_rad: float = math.radians(270.0)
    range_max_m: float = 20.0
    noise_m: float = 0.01
    """Standard deviation of a range."""
    dropout_share: float = 0.0
    """Of the beams that come back with nothing."""
    phantom_share: float = 0.0
    """Of the beams that report something before there is anything."""
    name: str = ""
    period_s: float = 0.025
    """Between two scans."""

    def __post_init__(self) -> None:
        if self.beams < 1:
            raise UnusableLaser(f"a laser has at least one beam, not {self.beams}")
        if not 0.0 < self.field_of_view_rad <= math.tau:
            raise UnusableLaser(
                f"a field of view is up to a full turn, not {self.field_of_view_rad}"
            )
        check_reach(self.range_max_m)
        if not math.isfinite(self.period_s) or self.period_s <= 0.0:
            raise UnusableLaser(f"scans are more than 0 s apart, not {self.period_s}")
        if not math.isfinite(self.noise_m) or self.noise_m < 0.0:
            raise UnusableLaser(f"noise is 0 m or more, not {self.noise_m}")
        for share in (self.dropout_share, self.phantom_share):
            if not 0.0 <= share <= 1.0:
                raise UnusableLaser(f"a share of beams is from 0 to 1, not {share}")
        if not self.mount.is_finite:
            raise UnusableLaser(f"a laser is mounted somewhere, not at {self.mount}")

    @cached_property
    def angle_min_rad(self) -> float:
        return -0.5 * self.angle_step_rad * (self.beams - 1)

    @cached_property
    def angle_step_rad(self) -> float:
        if self.field_of_view_rad >= math.tau - 1e-9:
            # The last beam of a full turn would repeat the first.
            return math.tau / self.beams
        return self.field_of_view_rad / max(self.beams - 1, 1)

    @cached_property
    def directions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        steps = np.arange(self.beams, dtype=np.float64)
        angles = self.angle_min_rad + self.angle_step_rad * steps
        return np.cos(angles), np.sin(angles)


def front_and_rear(
    ahead_m: float = 0.35,
    beams: int = 541,
    range_max_m: float = 20.0,
    noise_m: float = 0.01,
    dropout_share: float = 0.0,
    phantom_share: float = 0.0,
) -> tuple[Laser, Laser]:
    """One laser on each end, each blind towards the robot's own body."""

    def facing(mount: Pose, name: str) -> Laser:
        return Laser(
            mount,
            beams,
            range_max_m=range_max_m,
            noise_m=noise_m,
            dropout_share=dropout_share,
            phantom_share=phantom_share,
            name=name,
        )

    return (
        facing(Pose(ahead_m, 0.0, 0.0), FRONT),
        facing(Pose(-ahead_m, 0.0, math.pi), REAR),
    )


def simulate_scan(
    grid: Grid | None,
    pose: Pose,
    laser: Laser,
    random: np.random.Generator,
    segments: ArrayLike = NO_SEGMENTS,
    discs: ArrayLike = NO_DISCS,
    at_s: float | None = None,
) -> Scan:
    """What the laser of a robot at the pose reports: map first, shapes before it.

    The generator advances by the same amount whatever is seen, so that one box more
    does not change the noise of everything after it.
    """
    if not pose.is_finite:
        raise UnusablePose(f"a pose is three finite numbers, not {pose}")
    eye = pose.plus(laser.mount)
    ranges = np.empty((1, laser.beams))
    if grid is None:
        ranges.fill(math.inf)
    else:
        ray_kernels.cast_rays(
            room_of(grid),
            grid.stride,
            start_in_cells(grid, eye),
            *laser.directions,
            laser.range_max_m / grid.resolution_m,
            grid.resolution_m,
            ranges,
        )
    seen = ranges[0]
    lines, circles = checked_shapes(segments, 4), checked_shapes(discs, 3)
    if len(lines) or len(circles):
        shape_kernels.sweep_shapes(
            lines,
            circles,
            eye.x_m,
            eye.y_m,
            eye.yaw_rad,
            laser.angle_min_rad,
            laser.angle_step_rad,
            seen,
        )
    _disturb(seen, laser, random)
    return Scan(
        seen,
        laser.angle_min_rad,
        laser.angle_step_rad,
        laser.range_max_m,
        laser.mount,
        laser.name,
        at_s,
    )


def _disturb(
    ranges: NDArray[np.float64], laser: Laser, random: np.random.Generator
) -> None:
    beams = laser.beams
    noise = random.standard_normal(beams) if laser.noise_m > 0.0 else NOTHING
    dust = random.random((2, beams)) if laser.phantom_share > 0.0 else NO_DUST
    lost = random.random(beams) if laser.dropout_share > 0.0 else NOTHING
    ray_kernels.disturb(
        ranges,
        laser.noise_m,
        noise,
        laser.phantom_share,
        dust,
        laser.dropout_share,
        lost,
        laser.range_max_m,
    )


def check_scan(scan: Scan) -> None:
    """Refuse what no laser reports; beams that saw nothing are infinite and fine."""
    ranges = scan.ranges_m
    if ranges.ndim != 1 or ranges.size == 0:
        raise UnusableScan(f"a scan is one row of ranges, not {ranges.shape}")
    least = float(ranges.min())
    if math.isnan(least):
        raise UnusableScan("a range is not a number")
    if least < 0.0:
        raise UnusableScan("a range is below 0 m")
    frame = (scan.angle_min_rad, scan.angle_step_rad)
    if not all(map(math.isfinite, frame)) or scan.angle_step_rad == 0.0:
        raise UnusableScan(f"beams do not spread from {frame[0]} by {frame[1]} rad")
    if not math.isfinite(scan.range_max_m) or scan.range_max_m <= 0.0:
        raise UnusableScan(f"a laser reaches more than 0 m, not {scan.range_max_m}")
    if not scan.mount.is_finite:
        raise UnusableScan(f"a laser is mounted somewhere, not at {scan.mount}")
