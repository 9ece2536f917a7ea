"""A pose that jumps is believed when something else than the jump itself supports it.

A door that closes before a robot, a pallet, a crowd: much of what the lasers see is
new, and somewhere else on the map half of it would fit. A robot that believes that
reports its arrival in the wrong room. So a jump needs support: beams that pass through
walls of the old place, the robot's own tag, or a way on which the new place went on to
fit. Until then the robot does not know where it is, stands, and says so. Doubt never
moves the old place: the wheels carry it on, and it is kept for when the view clears up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from shopfloor.geometry import Odometry, Pose, Scan, TagSeen, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import cast
from shopfloor.localisation.estimate import LOST, Estimate
from shopfloor.localisation.field import quality, thinned

THROUGH_M = 0.4
"""A beam that goes on so far behind a wall of the map has not met that wall."""
CONTRADICTED_SHARE = 0.1
"""Of the beams: with more of them through walls, a place cannot be right."""


class Movable(Protocol):
    """A localiser that can be told where it is."""

    def update(
        self, at_s: float, odometry: Odometry, scans: Sequence[Scan]
    ) -> Estimate: ...

    def set_pose(self, pose: Pose) -> None: ...


@dataclass(frozen=True, slots=True)
class JumpRules:
    jump_m: float = 0.6
    jump_rad: float = 0.6
    """What no correction of wheels by lasers needs within one update."""
    updates: int = 5
    """A contradiction or a tag counts when it lasts for so many."""
    moved_m: float = 0.5
    """A way on which the new place kept fitting supports it."""
    fits_above: float = 0.75
    """Share of beams that a place explains if it fits."""
    apart: float = 0.15
    """And so much better than the other place."""
    tag_m: float = 0.8
    """A tag agrees with a place that is so near to it, three of its sigmas apart."""


def share_through_walls(grid: Grid, pose: Pose, scans: Sequence[Scan]) -> float:
    """Share of the beams that would have to pass through walls that the map knows.

    Things that no map knows make beams shorter, never longer: this is what tells a
    carried robot from one before a closed door.
    """
    asked, through = 0, 0
    for scan in scans:
        angles, ranges = thinned(scan, 60)
        eye = pose.plus(scan.mount)
        asked += len(ranges)
        if len(ranges) == 0 or not grid.is_free(eye.x_m, eye.y_m):
            continue
        # The farthest of three: a beam past an edge is not one through it.
        half = 0.5 * scan.angle_step_rad + math.radians(1.0)
        reach_m = scan.range_max_m
        beside = [cast(grid, eye, angles + by, reach_m) for by in (-half, 0.0, half)]
        expected = np.max(beside, axis=0)
        through += int(np.count_nonzero(ranges > expected + THROUGH_M))
    return through / asked if asked else 0.0


def _no_tag() -> TagSeen | None:
    return None


class SupportedPose:
    """The estimate of another localiser, without jumps that nothing supports."""

    def __init__(
        self,
        grid: Grid,
        localiser: Movable,
        start: Pose | None = None,
        rules: JumpRules | None = None,
    ) -> None:
        self.grid = grid
        self.localiser = localiser
        self.rules = rules or JumpRules()
        self._kept = start
        """The newest place that was supported, carried on by the wheels."""
        self._wheels: Pose | None = None
        self.ask_tag: Callable[[], TagSeen | None] = _no_tag
        """Where the robot's own tag is located now, if it has one; asked in doubt."""
        self._doubted = False
        self._moved_m = 0.0
        self._contradicted = self._tagged = self._untagged = 0

    def set_pose(self, pose: Pose) -> None:
        """Somebody says where the robot is: that is support enough."""
        self.localiser.set_pose(pose)
        self._believe(pose)

    def update(
        self, at_s: float, odometry: Odometry, scans: Sequence[Scan]
    ) -> Estimate:
        found = self.localiser.update(at_s, odometry, scans)
        before, self._wheels = self._wheels, odometry.pose
        if self._kept is None:
            if found.status != LOST:
                self._believe(found.pose)
            return found
        if before is not None:
            step = odometry.pose.seen_from(before)
            self._kept = self._kept.plus(step)
            self._moved_m += math.hypot(step.x_m, step.y_m)
        if not self._jumped(self._kept, found.pose):
            self._believe(found.pose)
            return found
        if not self._doubted:
            self._doubted, self._moved_m = True, 0.0
            self._contradicted = self._tagged = self._untagged = 0
        kept = self._kept
        if found.status != LOST and self._is_supported(kept, found.pose, scans):
            self._believe(found.pose)
            return found
        if self._was_right(kept, found.pose, scans):
            self.localiser.set_pose(kept)
            self._doubted = False
            return replace(found, pose=kept, status=LOST)
        return replace(found, status=LOST)

    def _believe(self, pose: Pose) -> None:
        self._kept, self._doubted = pose, False

    def _jumped(self, kept: Pose, found: Pose) -> bool:
        turned = abs(wrapped(found.yaw_rad - kept.yaw_rad))
        rules = self.rules
        return kept.distance_to(found) > rules.jump_m or turned > rules.jump_rad

    def _is_supported(self, kept: Pose, found: Pose, scans: Sequence[Scan]) -> bool:
        rules = self.rules
        fits = quality(self.grid, found, scans)
        if fits < rules.fits_above:
            return False
        through = share_through_walls(self.grid, kept, scans) > CONTRADICTED_SHARE
        self._contradicted = self._contradicted + 1 if through else 0
        self._note_tag(kept, found)
        if self._untagged >= rules.updates:
            return False
        if max(self._contradicted, self._tagged) >= rules.updates:
            return True
        better = fits > quality(self.grid, kept, scans) + rules.apart
        return better and self._moved_m > rules.moved_m

    def _note_tag(self, kept: Pose, found: Pose) -> None:
        """The robot's own tag is nearer to one of both places, by far."""
        tag = self.ask_tag()
        if tag is None:
            return
        near_m = self.rules.tag_m + 3.0 * tag.sigma_m
        to_found = math.hypot(tag.x_m - found.x_m, tag.y_m - found.y_m)
        to_kept = math.hypot(tag.x_m - kept.x_m, tag.y_m - kept.y_m)
        says_found = to_found < near_m < to_kept
        says_kept = to_kept < near_m < to_found
        self._tagged = self._tagged + 1 if says_found else 0
        self._untagged = self._untagged + 1 if says_kept else 0

    def _was_right(self, kept: Pose, found: Pose, scans: Sequence[Scan]) -> bool:
        """The old place fits again, or the tag says so: go back to it."""
        rules = self.rules
        if self._untagged >= rules.updates:
            return True
        fits = quality(self.grid, kept, scans)
        return fits > rules.fits_above and fits >= quality(self.grid, found, scans)
