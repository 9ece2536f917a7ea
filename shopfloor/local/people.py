"""People as people: known by their tags before any laser sees them.

They are given room now and where they will be, the robot slows for those near its
way, passes them on the right and never drives nearer than the set distance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.limits import RobotLimits, speed_to_stop_within
from shopfloor.geometry import Pose, TagSeen
from shopfloor.local.errors import PersonRefused

WALKING_MPS = 0.2
"""Slower people stand."""


@dataclass(frozen=True, slots=True)
class Courtesy:
    """How much room people get; distances are from the hull to the tag."""

    distance_m: float = 0.8
    """The robot's own motion never brings it nearer."""
    slow_within_m: float = 3.5
    body_m: float = 0.25
    """Of a person around the tag, for the emergency stop."""
    returns_m: float = 0.5
    """Laser returns this near to a tag are the person's."""
    block_s: float = 0.6
    foresee_s: float = 2.5
    left_m: float = 0.8
    """How much farther the cost reaches on the robot's left of a person."""
    slowest_mps: float = 0.15

    def __post_init__(self) -> None:
        for value in (self.distance_m, self.slow_within_m, self.foresee_s):
            if not (math.isfinite(value) and value > 0.0):
                raise PersonRefused(f"room for people is above 0, not {value}")
        if self.slow_within_m <= self.distance_m:
            raise PersonRefused(
                "a robot slows before it reaches the distance it keeps: "
                f"{self.slow_within_m} and {self.distance_m} m"
            )


def check_people(people: Sequence[TagSeen]) -> None:
    for person in people:
        numbers = (person.x_m, person.y_m, person.sigma_m, person.vx_mps, person.vy_mps)
        if not all(map(math.isfinite, numbers)) or person.sigma_m < 0.0:
            raise PersonRefused(f"tag {person.tag!r} is nowhere: {numbers}")


def nearest_person(
    pose: Pose, people: Sequence[TagSeen], radius_m: float
) -> tuple[TagSeen | None, float]:
    """The nearest tag and the distance from the hull to it."""
    best, away = None, math.inf
    for person in people:
        gap = math.hypot(person.x_m - pose.x_m, person.y_m - pose.y_m) - radius_m
        if gap < away:
            best, away = person, gap
    return best, away


def walks(person: TagSeen) -> bool:
    return math.hypot(person.vx_mps, person.vy_mps) > WALKING_MPS


def speed_near(
    people: Sequence[TagSeen],
    pose: Pose,
    path: NDArray[np.float64],
    limits: RobotLimits,
    courtesy: Courtesy,
) -> float:
    """The speed that people near the way ahead leave to the robot."""
    allowed = limits.speed_mps
    span = courtesy.slow_within_m - courtesy.distance_m
    for person in people:
        gap = math.hypot(person.x_m - pose.x_m, person.y_m - pose.y_m)
        gap -= limits.radius_m
        soon = gap - _closing_mps(person, pose) * courtesy.block_s
        if soon >= courtesy.slow_within_m:
            continue
        if not _near_way(person, pose, path, courtesy):
            continue
        room = max(min(soon, gap) - courtesy.distance_m, 0.0)
        share = limits.speed_mps * room / span
        # A person who comes nearer takes a part of the room while the robot brakes.
        closing = max(_closing_mps(person, pose), 0.0)
        to_stop = speed_to_stop_within(
            room, limits.accel_mps2, limits.latency_s + closing / limits.accel_mps2
        )
        allowed = min(allowed, max(min(share, to_stop), courtesy.slowest_mps))
    return allowed


def _closing_mps(person: TagSeen, pose: Pose) -> float:
    dx, dy = pose.x_m - person.x_m, pose.y_m - person.y_m
    away = math.hypot(dx, dy)
    if away == 0.0:
        return 0.0
    return (person.vx_mps * dx + person.vy_mps * dy) / away


def _near_way(
    person: TagSeen, pose: Pose, path: NDArray[np.float64], courtesy: Courtesy
) -> bool:
    """Will the way ahead come near to where the person is or will be."""
    near = courtesy.distance_m + 1.2
    for share in (0.0, 0.5, 1.0):
        ahead_s = share * courtesy.foresee_s
        x = person.x_m + person.vx_mps * ahead_s
        y = person.y_m + person.vy_mps * ahead_s
        if math.hypot(x - pose.x_m, y - pose.y_m) < near:
            return True
        left = courtesy.slow_within_m + 1.0
        for a, b in itertools.pairwise(path):
            ex, ey = float(b[0] - a[0]), float(b[1] - a[1])
            length = math.hypot(ex, ey)
            if length == 0.0:
                continue
            along = ((x - a[0]) * ex + (y - a[1]) * ey) / length
            along = min(max(along, 0.0), min(length, left))
            px, py = a[0] + ex * along / length, a[1] + ey * along / length
            if math.hypot(x - px, y - py) < near:
                return True
            left -= length
            if left <= 0.0:
                break
    return False


def kept_away(
    vx_mps: float,
    vy_mps: float,
    pose: Pose,
    people: Sequence[TagSeen],
    limits: RobotLimits,
    courtesy: Courtesy,
) -> float:
    """Which share of a velocity (robot's frame) keeps the distance to everybody.

    Within the distance only moving away is allowed; outside, the part towards a
    person must be able to stop before the distance is reached. How well the tag is
    known counts: the person may be nearer than it says.
    """
    share = 1.0
    cos, sin = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
    mx, my = cos * vx_mps - sin * vy_mps, sin * vx_mps + cos * vy_mps
    for person in people:
        dx, dy = person.x_m - pose.x_m, person.y_m - pose.y_m
        away = math.hypot(dx, dy)
        if away == 0.0:
            return 0.0
        towards = (mx * dx + my * dy) / away
        if towards <= 0.0:
            continue
        room = away - limits.radius_m - courtesy.distance_m - person.sigma_m
        room -= max(_closing_mps(person, pose), 0.0) * limits.latency_s
        allowed = speed_to_stop_within(room - 0.02, limits.accel_mps2, limits.latency_s)
        if towards > allowed:
            share = min(share, allowed / towards)
    return share
