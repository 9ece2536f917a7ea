"""From encoder ticks to steps of the robot, and from true steps to simulated ticks.

Odometry is smooth and always there, but wheels differ from what the data sheet says
and slip, so its error grows without bound. The simulated encoders have exactly these
faults, which is what gives localisation something to correct.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shopfloor.geometry import Odometry, Pose
from shopfloor.localisation.errors import (
    TimeWentBackwards,
    UnusableBase,
    UnusableOdometry,
    UnusableTicks,
    UnusableTime,
)


class Base(Protocol):
    """How wheels and motion belong together; motion is (x, y, yaw) of the body."""

    @property
    def wheels(self) -> int: ...

    @property
    def rad_per_tick(self) -> float: ...

    def to_wheels(self, x_m: float, y_m: float, yaw_rad: float) -> list[float]:
        """Turns of each wheel in radians."""

    def to_motion(self, turns_rad: Sequence[float]) -> tuple[float, float, float]: ...


@dataclass(frozen=True)
class MecanumBase:
    """Four rollered wheels: front left, front right, rear left, rear right."""

    wheel_radius_m: float = 0.1
    half_length_m: float = 0.25
    half_width_m: float = 0.2
    ticks_per_turn: int = 4096

    def __post_init__(self) -> None:
        _check_base(
            self.wheel_radius_m,
            self.half_length_m,
            self.half_width_m,
            self.ticks_per_turn,
        )

    @property
    def wheels(self) -> int:
        return 4

    @property
    def rad_per_tick(self) -> float:
        return math.tau / self.ticks_per_turn

    def to_wheels(self, x_m: float, y_m: float, yaw_rad: float) -> list[float]:
        turn = (self.half_length_m + self.half_width_m) * yaw_rad
        r = self.wheel_radius_m
        return [
            (x_m - y_m - turn) / r,
            (x_m + y_m + turn) / r,
            (x_m + y_m - turn) / r,
            (x_m - y_m + turn) / r,
        ]

    def to_motion(self, turns_rad: Sequence[float]) -> tuple[float, float, float]:
        fl, fr, rl, rr = turns_rad
        quarter = 0.25 * self.wheel_radius_m
        return (
            quarter * (fl + fr + rl + rr),
            quarter * (fr + rl - fl - rr),
            quarter * (fr + rr - fl - rl) / (self.half_length_m + self.half_width_m),
        )


@dataclass(frozen=True)
class DifferentialBase:
    """Two driven wheels on one axle: left, right."""

    wheel_radius_m: float = 0.1
    track_m: float = 0.4
    ticks_per_turn: int = 4096

    def __post_init__(self) -> None:
        _check_base(self.wheel_radius_m, self.track_m, self.ticks_per_turn)

    @property
    def wheels(self) -> int:
        return 2

    @property
    def rad_per_tick(self) -> float:
        return math.tau / self.ticks_per_turn

    def to_wheels(self, x_m: float, y_m: float, yaw_rad: float) -> list[float]:
        """Sideways motion leaves no trace: such wheels would be dragged."""
        turn = 0.5 * self.track_m * yaw_rad
        return [
            (x_m - turn) / self.wheel_radius_m,
            (x_m + turn) / self.wheel_radius_m,
        ]

    def to_motion(self, turns_rad: Sequence[float]) -> tuple[float, float, float]:
        left, right = turns_rad
        return (
            0.5 * self.wheel_radius_m * (left + right),
            0.0,
            self.wheel_radius_m * (right - left) / self.track_m,
        )


@dataclass(frozen=True)
class Drift:
    """What is wrong with the wheels of one robot."""

    scale_error: float = 0.01
    """Standard deviation of each wheel's lasting error of radius, as a share."""
    slip: float = 0.02
    """Standard deviation of what a wheel loses or gains over one metre, as a share."""


class Encoders:
    """Simulated encoders: true motion in, whole ticks since power-on out."""

    def __init__(
        self, base: Base, random: np.random.Generator, drift: Drift | None = None
    ) -> None:
        self.base = base
        self._random = random
        self._drift = drift or Drift()
        lasting = random.standard_normal(base.wheels).tolist()
        self._scale = [1.0 + self._drift.scale_error * wheel for wheel in lasting]
        self._turned_rad = [0.0] * base.wheels
        self._radius_m = _radius_m(base)
        self._rad_per_tick = base.rad_per_tick
        self.ticks = (0,) * base.wheels

    def advance(self, before: Pose, after: Pose) -> tuple[int, ...]:
        """Turn the wheels as if the base had moved on an arc between two poses."""
        if not (before.is_finite and after.is_finite):
            raise UnusableOdometry(f"no robot moves from {before} to {after}")
        motion = _arc_to(after.seen_from(before))
        noise = self._random.standard_normal(self.base.wheels).tolist()
        turned, radius_m = self._turned_rad, self._radius_m
        for wheel, turn in enumerate(self.base.to_wheels(*motion)):
            # Slip grows with the root of the way, so that the length of a simulation
            # step does not change how far a run drifts.
            slip = self._drift.slip * math.sqrt(abs(turn) * radius_m) / radius_m
            turned[wheel] += turn * self._scale[wheel] + slip * noise[wheel]
        self.ticks = tuple(int(angle // self._rad_per_tick) for angle in turned)
        return self.ticks


class WheelOdometry:
    """Adds up ticks to a pose; the first reading only says where counting starts."""

    def __init__(self, base: Base, start: Pose | None = None) -> None:
        self._base = base
        self._pose = start or Pose(0.0, 0.0, 0.0)
        self._last: tuple[float, tuple[int, ...]] | None = None

    def update(self, at_s: float, ticks: Sequence[int]) -> Odometry:
        if not math.isfinite(at_s):
            raise UnusableTime(at_s)
        counts = self._counts(ticks)
        if self._last is None:
            self._last = at_s, counts
            return Odometry(self._pose)
        last_s, before = self._last
        if at_s < last_s:
            raise TimeWentBackwards(at_s, last_s)
        turns = [
            (now - then) * self._base.rad_per_tick
            for now, then in zip(counts, before, strict=True)
        ]
        motion = self._base.to_motion(turns)
        self._pose = self._pose.plus(_along_arc(*motion))
        self._last = at_s, counts
        if at_s == last_s:
            return Odometry(self._pose)
        vx, vy, wz = (part / (at_s - last_s) for part in motion)
        return Odometry(self._pose, vx, vy, wz)

    def _counts(self, ticks: Sequence[int]) -> tuple[int, ...]:
        if len(ticks) != self._base.wheels:
            raise UnusableTicks(
                f"the base has {self._base.wheels} wheels; ticks came from {len(ticks)}"
            )
        if not all(math.isfinite(t) and t == int(t) for t in ticks):
            raise UnusableTicks(f"ticks are whole numbers, not {tuple(ticks)}")
        return tuple(int(t) for t in ticks)


def _along_arc(x_m: float, y_m: float, yaw_rad: float) -> Pose:
    """The step of a body that moves and turns evenly at the same time."""
    if abs(yaw_rad) < 1e-9:
        return Pose(x_m, y_m, yaw_rad)
    a, b = math.sin(yaw_rad) / yaw_rad, (1.0 - math.cos(yaw_rad)) / yaw_rad
    return Pose(a * x_m - b * y_m, b * x_m + a * y_m, yaw_rad)


def _arc_to(step: Pose) -> tuple[float, float, float]:
    """The even motion that ends in a step: the inverse of :func:`_along_arc`."""
    yaw = step.yaw_rad
    if abs(yaw) < 1e-9:
        return step.x_m, step.y_m, yaw
    a, b = math.sin(yaw) / yaw, (1.0 - math.cos(yaw)) / yaw
    square = a * a + b * b
    return (
        (a * step.x_m + b * step.y_m) / square,
        (a * step.y_m - b * step.x_m) / square,
        yaw,
    )


def _radius_m(base: Base) -> float:
    forwards = base.to_wheels(1.0, 0.0, 0.0)
    return 1.0 / forwards[0]


def _check_base(*sizes: float) -> None:
    if not all(math.isfinite(size) and size > 0 for size in sizes):
        raise UnusableBase(f"sizes and ticks of a base are above 0, not {sizes}")
