"""Where a robot is between two words of its localisation.

Localisation speaks rarely: after every 0.2 m at best, and not at all while the robot
stands. Odometry speaks all the time, in a frame of its own. The two joined at the
instant of the last known pose give a position that moves smoothly and is as fresh as
the odometry, as the chain of transforms on the robot gives it, without listening to
that chain.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from robot_bridge.messages import PoseReading

KEPT = 20


@dataclass(frozen=True, slots=True)
class Placement:
    """A turn and a shift in the plane; also the pose of whatever stands there."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def then(self, inner: Placement) -> Placement:
        x, y = self.apply(inner.x, inner.y)
        return Placement(x, y, _wrapped(self.yaw + inner.yaw))

    def inverse(self) -> Placement:
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        x, y = -(cos * self.x + sin * self.y), sin * self.x - cos * self.y
        return Placement(x, y, -self.yaw)

    def apply(self, x: float, y: float) -> tuple[float, float]:
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return self.x + cos * x - sin * y, self.y + sin * x + cos * y


def _wrapped(angle: float) -> float:
    return math.atan2(math.sin(angle), math.cos(angle))


@dataclass(slots=True)
class Reckoning:
    """Instants ``at`` are the listener's, stamps are the robot's own."""

    pose: PoseReading | None = None
    pose_at: float = -math.inf
    odom_at: float = -math.inf
    _odometry: deque[PoseReading] = field(
        default_factory=lambda: deque[PoseReading](maxlen=KEPT)
    )
    _map_from_odom: Placement | None = None

    def forget_odometry(self) -> None:
        """A new connection may be a new start of the robot, with a new odometry."""
        self._odometry.clear()
        self._map_from_odom = None
        self.odom_at = -math.inf

    def saw_pose(self, at: float, reading: PoseReading) -> None:
        self.pose, self.pose_at = reading, at
        self._map_from_odom = None
        self._join()

    def saw_odometry(self, at: float, reading: PoseReading) -> None:
        if self._odometry and reading.stamp_s < self._odometry[-1].stamp_s:
            self._odometry.clear()  # the robot's clock was set back
        self._odometry.append(reading)
        self.odom_at = at
        self._join()

    def map_from_odom(self) -> Placement | None:
        return self._map_from_odom

    def now(self) -> tuple[Placement, float] | None:
        """The pose and the instant it was true at."""
        if self.pose is None:
            return None
        told = Placement(self.pose.x, self.pose.y, self.pose.yaw)
        joint = self._map_from_odom
        if joint is None:
            return told, self.pose_at
        newest = self._odometry[-1]
        if newest.stamp_s < self.pose.stamp_s:
            return told, self.pose_at
        moved = joint.then(Placement(newest.x, newest.y, newest.yaw))
        return moved, max(self.pose_at, self.odom_at)

    def _join(self) -> None:
        if self.pose is None or self._map_from_odom is not None:
            return
        then = self._odometry_at(self.pose.stamp_s)
        if then is not None:
            told = Placement(self.pose.x, self.pose.y, self.pose.yaw)
            self._map_from_odom = told.then(then.inverse())

    def _odometry_at(self, stamp_s: float) -> Placement | None:
        """Between the readings around an instant; None while none is later."""
        before: PoseReading | None = None
        for reading in self._odometry:
            if reading.stamp_s < stamp_s:
                before = reading
                continue
            if before is None or reading.stamp_s <= before.stamp_s:
                return Placement(reading.x, reading.y, reading.yaw)
            span_s = reading.stamp_s - before.stamp_s
            share = (stamp_s - before.stamp_s) / span_s
            turn = _wrapped(reading.yaw - before.yaw)
            return Placement(
                before.x + share * (reading.x - before.x),
                before.y + share * (reading.y - before.y),
                _wrapped(before.yaw + share * turn),
            )
        return None
