"""A robot that somebody steers by hand drives no faster than it can stop before what
its lasers see, and only creeps while one of them is out of order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shopfloor.control.commands import Command, PilotStatus
from shopfloor.control.limits import RobotLimits
from shopfloor.geometry import Scan

GAP_M = 0.15
"""What stays free before the hull."""
SIDE_M = 0.05
CRAWL_MPS, CRAWL_RADPS = 0.1, 0.3
Speeds = tuple[float, float, float]


def steered(
    asked: Speeds, scans: Sequence[Scan], limits: RobotLimits, *, crawl: bool
) -> Command:
    """What of the asked speeds is safe."""
    vx, vy, wz = asked
    if limits.drive == "differential":
        vy = 0.0
    wanted = math.hypot(vx, vy)
    most = CRAWL_MPS if crawl else limits.speed_mps
    if wanted > 0.0:
        free_m = room_ahead_m(math.atan2(vy, vx), scans, limits.radius_m)
        most = min(most, math.sqrt(limits.accel_mps2 * free_m))
        share = min(1.0, most / wanted)
        vx, vy = share * vx, share * vy
    turn = CRAWL_RADPS if crawl else limits.turn_radps
    return Command(vx, vy, min(max(wz, -turn), turn), PilotStatus.IDLE)


def room_ahead_m(towards_rad: float, scans: Sequence[Scan], radius_m: float) -> float:
    """How far the hull may move in that direction."""
    free_m = math.inf
    for scan in scans:
        ranges = np.asarray(scan.ranges_m)
        seen = np.isfinite(ranges) & (ranges < scan.range_max_m)
        angles = scan.angle_min_rad + scan.angle_step_rad * np.arange(len(ranges))
        angles = angles[seen] + scan.mount.yaw_rad
        x = scan.mount.x_m + ranges[seen] * np.cos(angles)
        y = scan.mount.y_m + ranges[seen] * np.sin(angles)
        along = x * math.cos(towards_rad) + y * math.sin(towards_rad)
        beside = np.abs(y * math.cos(towards_rad) - x * math.sin(towards_rad))
        met = along[(along > 0.0) & (beside < radius_m + SIDE_M)]
        if len(met):
            free_m = min(free_m, float(met.min()) - radius_m - GAP_M)
    return max(0.0, free_m)
