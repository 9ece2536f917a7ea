"""A differential-drive vehicle that turns on the spot and drives straight lines.

Given somebody who finds ways, it goes around what stands between it and its target.
Pure motion: no clock, no topics. The same seed and the same ticks give the same
path, so that fast-forward runs and live runs agree.
"""

import math
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

STEP_S = 0.05
ARRIVED_M = 0.01
ALIGNED_RAD = 0.01
OFF_COURSE_RAD = 0.05
EMERGENCY_FACTOR = 2.0
ODOMETRY_NOISE = 0.01
WALL_COST = 100


@dataclass(frozen=True)
class Pose:
    x_m: float
    y_m: float
    yaw_rad: float = 0.0

    def distance_to(self, other: "Pose") -> float:
        return math.hypot(other.x_m - self.x_m, other.y_m - self.y_m)

    def bearing_to(self, other: "Pose") -> float:
        return math.atan2(other.y_m - self.y_m, other.x_m - self.x_m)


class NoWay(ValueError):
    """There is no way there; the text is the cause."""


Speeds = tuple[float, float, float]
"""Forwards, to the left, anticlockwise."""
FindBends = Callable[[Pose, Pose], tuple[Pose, ...]]
"""Where the way from one pose to another turns. Raises NoWay."""


@dataclass(frozen=True)
class Limits:
    speed_mps: float = 0.8
    accel_mps2: float = 0.5
    turn_radps: float = 1.2
    turn_accel_radps2: float = 2.0


@dataclass(frozen=True)
class Consumption:
    """Shares of a full battery."""

    idle_per_s: float = 1.0 / (12 * 3600)
    per_m: float = 1.0 / 15_000
    charge_per_s: float = 1.0 / 3600


@dataclass
class Vehicle:
    pose: Pose
    limits: Limits = field(default_factory=Limits)
    consumption: Consumption = field(default_factory=Consumption)
    charger: Pose | None = None
    battery: float = 1.0
    target: Pose | None = None
    emergency_stop: bool = False
    paused: bool = False
    speed_mps: float = 0.0
    turn_radps: float = 0.0
    odometer_m: float = 0.0
    odometry: Pose = field(default_factory=lambda: Pose(0.0, 0.0))
    keep_off: tuple[Pose, float] | None = None
    """Somebody stands where it is to go: it stops that many metres short of him."""
    find_bends: FindBends | None = None
    bends: tuple[Pose, ...] = ()
    """Still ahead, before the target."""
    by_hand: Speeds | None = None
    """What somebody steers, as long as there is no target."""
    cost_at: Callable[[Pose], int] = lambda _pose: 0
    """Of the map, so that whoever steers is stopped before a wall."""
    _turned_away: bool = field(default=False, init=False)
    """The way was found while it drove elsewhere and will stop further on."""

    @property
    def standing(self) -> bool:
        return self.speed_mps == 0.0 and self.turn_radps == 0.0

    @property
    def held(self) -> bool:
        return self.emergency_stop or self.paused or self.battery <= 0.0

    @property
    def charging(self) -> bool:
        return (
            self.charger is not None
            and self.target is None
            and self.standing
            and self.battery < 1.0
            and self.pose.distance_to(self.charger) < 0.3
        )

    @property
    def arrived(self) -> bool:
        return (
            self.target is not None
            and self.standing
            and self.pose.distance_to(self.target) <= ARRIVED_M
            and abs(_angle(self.target.yaw_rad - self.pose.yaw_rad)) <= ALIGNED_RAD
        )

    def head_for(self, target: Pose | None) -> None:
        """Take a target, or none. NoWay: it cannot be reached, and the old one
        stays."""
        self.bends = self._bends_to(target)
        self.target = target
        self._turned_away = not self.standing

    def _bends_to(self, target: Pose | None) -> tuple[Pose, ...]:
        if target is None or self.find_bends is None:
            return ()
        return self.find_bends(self.pose, target)

    def way(self) -> list[Pose]:
        """From where it is over every bend to the target; empty without one."""
        return [] if self.target is None else [self.pose, *self.bends, self.target]

    def remaining_m(self) -> float:
        return math.fsum(a.distance_to(b) for a, b in pairwise(self.way()))

    def remaining_s(self) -> float:
        """A guess from distance and top speed, as robots report it."""
        return self.remaining_m() / self.limits.speed_mps

    def tick(self, dt_s: float, rng: random.Random) -> None:
        while dt_s > 1e-9:
            step_s = min(STEP_S, dt_s)
            dt_s -= step_s
            self._move(step_s, rng)
            self._use_battery(step_s)

    def _move(self, dt_s: float, rng: random.Random) -> None:
        if self.by_hand is not None and self.target is None and not self.held:
            self._steer(*self.by_hand, dt_s)
        elif self.held or self.target is None or self._too_near():
            factor = EMERGENCY_FACTOR if self.emergency_stop else 1.0
            self._slow_down(dt_s, factor)
        else:
            self._pursue(self.target, dt_s)
        if self.speed_mps != 0.0:
            travelled = self.speed_mps * dt_s
            self.odometer_m += abs(travelled)
            self._advance_odometry(travelled, rng)

    def _steer(self, ahead_mps: float, _left: float, turn: float, dt_s: float) -> None:
        """Wheels that go straight or turn; none go sideways."""
        limits, way = self.limits, math.copysign(1.0, ahead_mps)
        reach_m = self.speed_mps**2 / (2.0 * limits.accel_mps2)
        reach_m += limits.speed_mps * STEP_S
        pose = self.pose
        stops_at = Pose(
            pose.x_m + way * reach_m * math.cos(pose.yaw_rad),
            pose.y_m + way * reach_m * math.sin(pose.yaw_rad),
            pose.yaw_rad,
        )
        if self.cost_at(stops_at) > self.cost_at(pose):
            ahead_mps = 0.0
        wanted = min(max(ahead_mps, -limits.speed_mps), limits.speed_mps)
        self.speed_mps = _towards(self.speed_mps, wanted, limits.accel_mps2 * dt_s)
        wanted = min(max(turn, -limits.turn_radps), limits.turn_radps)
        most = limits.turn_accel_radps2 * dt_s
        self.turn_radps = _towards(self.turn_radps, wanted, most)
        self._turn(self.turn_radps * dt_s)
        self._forward(self.speed_mps * dt_s)

    def take_pose(self, pose: Pose) -> str | None:
        """Believe to be there; a cause if it cannot be. Here belief is the truth."""
        if self.cost_at(pose) >= WALL_COST:
            return "a wall is there"
        self.pose = pose
        return None

    def _too_near(self) -> bool:
        if self.keep_off is None:
            return False
        body, gap_m = self.keep_off
        stops_in_m = self.speed_mps**2 / (2.0 * self.limits.accel_mps2)
        stops_in_m += self.limits.speed_mps * STEP_S
        return self.pose.distance_to(body) - stops_in_m <= gap_m

    def _slow_down(self, dt_s: float, factor: float) -> None:
        self.turn_radps = _towards(
            self.turn_radps, 0.0, factor * self.limits.turn_accel_radps2 * dt_s
        )
        self._turn(self.turn_radps * dt_s)
        self.speed_mps = _towards(
            self.speed_mps, 0.0, factor * self.limits.accel_mps2 * dt_s
        )
        self._forward(self.speed_mps * dt_s)

    def _pursue(self, target: Pose, dt_s: float) -> None:
        if self.speed_mps < 0.0:  # somebody backed it by hand
            self._slow_down(dt_s, 1.0)
            return
        if self._turned_away and self.standing:
            self._turned_away = False
            with suppress(NoWay):
                self.bends = self._bends_to(target)
        target = self.bends[0] if self.bends else target
        distance = self.pose.distance_to(target)
        if distance <= ARRIVED_M and self.speed_mps <= self.limits.accel_mps2 * dt_s:
            self.speed_mps = 0.0
            if self.bends:
                self.bends = self.bends[1:]
            else:
                self._turn_towards(target.yaw_rad, dt_s)
            return
        error = _angle(self.pose.bearing_to(target) - self.pose.yaw_rad)
        if self.speed_mps > 0.0 and abs(error) > OFF_COURSE_RAD:
            self._slow_down(dt_s, 1.0)
        elif self.speed_mps == 0.0 and (
            abs(error) > ALIGNED_RAD or self.turn_radps != 0.0
        ):
            self._turn_towards(self.pose.bearing_to(target), dt_s)
        else:
            self._turn(error)
            self._drive(target, distance, dt_s)

    def _turn_towards(self, yaw_rad: float, dt_s: float) -> None:
        error = _angle(yaw_rad - self.pose.yaw_rad)
        most = self.limits.turn_accel_radps2 * dt_s
        if abs(error) <= ALIGNED_RAD and abs(self.turn_radps) <= most:
            self._turn(error)
            self.turn_radps = 0.0
            return
        wanted = _approach(abs(error), self.limits.turn_accel_radps2, dt_s)
        wanted = math.copysign(min(wanted, self.limits.turn_radps), error)
        self.turn_radps = _towards(self.turn_radps, wanted, most)
        self._turn(self.turn_radps * dt_s)

    def _drive(self, target: Pose, distance_m: float, dt_s: float) -> None:
        wanted = min(
            _approach(distance_m, self.limits.accel_mps2, dt_s), self.limits.speed_mps
        )
        self.speed_mps = _towards(self.speed_mps, wanted, self.limits.accel_mps2 * dt_s)
        self._forward(min(self.speed_mps * dt_s, distance_m))
        if self.pose.distance_to(target) <= ARRIVED_M / 2:
            self.pose = Pose(target.x_m, target.y_m, self.pose.yaw_rad)

    def _turn(self, by_rad: float) -> None:
        pose = self.pose
        self.pose = Pose(pose.x_m, pose.y_m, _angle(pose.yaw_rad + by_rad))

    def _forward(self, by_m: float) -> None:
        pose = self.pose
        self.pose = Pose(
            pose.x_m + by_m * math.cos(pose.yaw_rad),
            pose.y_m + by_m * math.sin(pose.yaw_rad),
            pose.yaw_rad,
        )

    def _advance_odometry(self, by_m: float, rng: random.Random) -> None:
        seen = by_m * (1.0 + rng.gauss(0.0, ODOMETRY_NOISE))
        odometry = self.odometry
        self.odometry = Pose(
            odometry.x_m + seen * math.cos(self.pose.yaw_rad),
            odometry.y_m + seen * math.sin(self.pose.yaw_rad),
            self.pose.yaw_rad,
        )

    def _use_battery(self, dt_s: float) -> None:
        if self.charging:
            change = self.consumption.charge_per_s * dt_s
        else:
            driven = abs(self.speed_mps) * dt_s * self.consumption.per_m
            change = -(self.consumption.idle_per_s * dt_s + driven)
        self.battery = min(1.0, max(0.0, self.battery + change))


def first_metres(way: list[Pose], reach_m: float) -> list[Pose]:
    """The beginning of a way, cut where it is that long."""
    kept, left_m = way[:1], reach_m
    for start, end in pairwise(way):
        leg_m = start.distance_to(end)
        if leg_m > left_m:
            share = left_m / leg_m
            x_m = start.x_m + share * (end.x_m - start.x_m)
            y_m = start.y_m + share * (end.y_m - start.y_m)
            return [*kept, Pose(x_m, y_m, start.bearing_to(end))]
        kept.append(end)
        left_m -= leg_m
    return kept


def _approach(distance: float, accel: float, dt_s: float) -> float:
    """The highest speed from which one can still stop after this step."""
    return accel * (math.sqrt(dt_s * dt_s + 2.0 * distance / accel) - dt_s)


def _towards(value: float, wanted: float, most: float) -> float:
    return value + min(most, max(-most, wanted - value))


def _angle(rad: float) -> float:
    return math.remainder(rad, math.tau)
