"""Other robots, known by the tags they carry: passed on the right, by rank if tight.

Two robots that treat each other as a box both go round on the same side, both stop and
both wait. So each is told where the others are, and one of every two goes first. The
lasers, more exact than tags, then say where a robot really is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shopfloor.control.limits import RobotLimits, speed_to_stop_within
from shopfloor.control.watching import Surroundings
from shopfloor.geometry import Pose, TagSeen

APART_M = 0.30
YIELDING_APART_M = 0.45
"""From hull to hull; who yields leaves more room, so that the two do not dither."""
STAND_APART_M = 0.26
"""Nobody drives nearer: each of the two may use half of the room that is left."""
TAG_OFF_M = 0.45
"""Returns that near to where the tag says the hull is are that robot's."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another robot, in the frame of the map."""

    tag: TagSeen
    radius_m: float = 0.3
    goes_first: bool = False
    """It has the right of way over the robot that is told about it."""

    @property
    def x_m(self) -> float:
        return self.tag.x_m

    @property
    def y_m(self) -> float:
        return self.tag.y_m

    @property
    def speed_mps(self) -> float:
        return math.hypot(self.tag.vx_mps, self.tag.vy_mps)

    @property
    def returns_m(self) -> float:
        return self.radius_m + 0.15 + self.tag.sigma_m

    def keep_m(self, radius_m: float) -> float:
        """From middle to middle."""
        apart = YIELDING_APART_M if self.goes_first else APART_M
        return radius_m + self.radius_m + apart + min(self.tag.sigma_m, 0.1)

    def gap_m(self, pose: Pose, radius_m: float) -> float:
        away = math.hypot(self.x_m - pose.x_m, self.y_m - pose.y_m)
        return away - radius_m - self.radius_m


def sharpened(
    peers: Sequence[Peer], pose: Pose, around: Surroundings
) -> tuple[Peer, ...]:
    """Moved to where the lasers see them.

    Hulls are round: the nearest return of one lies on the line to its middle.
    """
    if not peers:
        return ()
    found = []
    points = around.points[around.known == 0]
    for peer in peers:
        there = Pose(peer.x_m, peer.y_m).seen_from(pose)
        off = np.hypot(points[:, 0] - there.x_m, points[:, 1] - there.y_m)
        mine = points[off < peer.radius_m + TAG_OFF_M]
        if len(mine) < 3:
            found.append(peer)
            continue
        away = np.hypot(mine[:, 0], mine[:, 1])
        nearest = int(np.argmin(away))
        stretched = 1.0 + peer.radius_m / max(float(away[nearest]), 1e-6)
        middle = pose.plus(
            Pose(
                float(mine[nearest, 0]) * stretched, float(mine[nearest, 1]) * stretched
            )
        )
        tag = replace(peer.tag, x_m=middle.x_m, y_m=middle.y_m, sigma_m=0.0)
        found.append(replace(peer, tag=tag))
    return tuple(found)


def kept_apart(
    vx_mps: float,
    vy_mps: float,
    pose: Pose,
    peers: Sequence[Peer],
    limits: RobotLimits,
) -> float:
    """Which share of a velocity (robot's frame) is safe although the others drive."""
    share = 1.0
    cos, sin = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
    mx, my = cos * vx_mps - sin * vy_mps, sin * vx_mps + cos * vy_mps
    for peer in peers:
        dx, dy = peer.x_m - pose.x_m, peer.y_m - pose.y_m
        away = math.hypot(dx, dy)
        if away == 0.0:
            return 0.0
        towards = (mx * dx + my * dy) / away
        if towards <= 0.0:
            continue
        room = 0.5 * (peer.gap_m(pose, limits.radius_m) - STAND_APART_M)
        allowed = speed_to_stop_within(room, limits.accel_mps2, limits.latency_s)
        if towards > allowed:
            share = min(share, allowed / towards)
    return share
