"""Where the robot is and whether it stands, as far as this connection knows.

Arrival after an outage is decided here, so what was heard before the outage
counts for nothing: a pose and a standstill must be observed on the connection
that decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from robot_bridge.messages import OdometryReading, PoseReading
from robot_bridge.profiles import Limits


@dataclass(slots=True)
class Whereabouts:
    limits: Limits
    has_odom: bool
    pose: PoseReading | None = None
    pose_at: float | None = None
    current: bool = False
    still_since: float | None = None
    still_at: PoseReading | None = None
    heard_at: float | None = None

    def disconnected(self) -> None:
        self.current = False
        self.still_since = None
        self.still_at = None
        self.heard_at = None

    def saw_pose(self, now_s: float, reading: PoseReading) -> float:
        """Returns how far the pose jumped beyond what driving explains."""
        jump_m = 0.0
        if self.current and self.pose is not None and self.pose_at is not None:
            moved_m = math.hypot(reading.x - self.pose.x, reading.y - self.pose.y)
            jump_m = moved_m - 3.0 * (now_s - self.pose_at)
        self.pose, self.pose_at, self.current = reading, now_s, True
        if not self.has_odom:
            anchor = self.still_at
            moving = anchor is None or (
                math.hypot(reading.x - anchor.x, reading.y - anchor.y)
                > self.limits.standing_mps * self.limits.standing_s + 0.01
            )
            if moving:
                self.still_at = reading
                self.still_since = now_s
            self.heard_at = now_s
        return jump_m

    def saw_odom(self, now_s: float, reading: OdometryReading) -> None:
        still = (
            reading.speed_mps <= self.limits.standing_mps
            and reading.turn_radps <= self.limits.standing_radps
        )
        if not still:
            self.still_since = None
        elif self.still_since is None:
            self.still_since = now_s
        self.heard_at = now_s

    @property
    def standing(self) -> bool:
        """True once every reading of the last ``standing_s`` was at rest."""
        return (
            self.still_since is not None
            and self.heard_at is not None
            and self.heard_at - self.still_since >= self.limits.standing_s
        )

    @property
    def moving(self) -> bool:
        return self.heard_at is not None and self.still_since is None

    def distance_m(self, x: float, y: float) -> float | None:
        if self.pose is None:
            return None
        return math.hypot(self.pose.x - x, self.pose.y - y)

    def is_at(self, x: float, y: float) -> bool:
        distance_m = self.distance_m(x, y)
        return (
            self.current
            and distance_m is not None
            and distance_m <= self.limits.arrival_m
        )
