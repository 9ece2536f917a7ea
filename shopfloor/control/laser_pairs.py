"""Two lasers that look at the same place have to see the same.

What one of them meets, the other cannot look through. This finds a laser that was
knocked out of its mount or tells nonsense; where the map knows better, only the wrong
one of the two is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from shopfloor.control import watch_kernels
from shopfloor.control.watching import in_grid_frame
from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid

EVERY = 4
"""Beams."""
SAME_TIME_S = 0.05
APART_M = 0.3
APART_SHARE = 0.05
"""Of the distance: so far behind what one laser meets the other one must see."""
LEAST_COMPARED = 20
MOST_SEEN_THROUGH = 0.25
ON_MAP_M = 0.2
LESS_ON_MAP = 0.15
"""A laser that fits the map by so much less than the other is the wrong one."""


class LaserPairs:
    def __init__(self, grid: Grid) -> None:
        self._grid = grid

    def disputed(self, pose: Pose | None, scans: Mapping[str, Scan]) -> set[str]:
        """The names of lasers that see what another one does not, by name."""
        found: set[str] = set()
        for names in combinations(scans, 2):
            if _are_apart(*(scans[name] for name in names)):
                found |= self._wrong_of(pose, scans, names)
        return found

    def _wrong_of(
        self, pose: Pose | None, scans: Mapping[str, Scan], names: tuple[str, str]
    ) -> set[str]:
        """The map knows which of the two is right; without it neither is."""
        if pose is None:
            return set(names)
        first, second = (self._share_on_map(pose, scans[name]) for name in names)
        if abs(first - second) < LESS_ON_MAP:
            return set(names)
        return {names[0] if first < second else names[1]}

    def _share_on_map(self, pose: Pose, scan: Scan) -> float:
        return watch_kernels.share_on_map(
            scan.ranges_m,
            scan.angle_min_rad,
            scan.angle_step_rad,
            scan.range_max_m,
            in_grid_frame(self._grid, pose.plus(scan.mount)),
            self._grid.resolution_m,
            self._grid.distance_m,
            EVERY,
            ON_MAP_M,
        )


def _are_apart(one: Scan, two: Scan) -> bool:
    """Each looks through too much of what the other one meets."""
    times = [scan.taken_at_s for scan in (one, two) if scan.taken_at_s is not None]
    if max(times, default=0.0) - min(times, default=0.0) > SAME_TIME_S:
        return False
    if one.angle_step_rad == 0.0 or two.angle_step_rad == 0.0:
        return False
    asked = through = 0
    for scan, other in ((one, two), (two, one)):
        compared, missed = watch_kernels.seen_through(
            scan.ranges_m,
            scan.angle_min_rad,
            scan.angle_step_rad,
            scan.range_max_m,
            _frame_of(scan.mount),
            other.ranges_m,
            other.angle_min_rad,
            other.angle_step_rad,
            other.range_max_m,
            _frame_of(other.mount),
            EVERY,
            APART_M,
            APART_SHARE,
        )
        asked, through = asked + compared, through + missed
    return asked >= LEAST_COMPARED and through > MOST_SEEN_THROUGH * asked


def _frame_of(mount: Pose) -> tuple[float, float, float]:
    return mount.x_m, mount.y_m, mount.yaw_rad
