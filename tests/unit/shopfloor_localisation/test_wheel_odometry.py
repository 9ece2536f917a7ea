"""Encoder ticks to poses, with and without what is wrong with real wheels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shopfloor.geometry import Pose, wrapped
from shopfloor.localisation import (
    DifferentialBase,
    Drift,
    Encoders,
    MecanumBase,
    TimeWentBackwards,
    UnusableBase,
    UnusableOdometry,
    UnusableTicks,
    UnusableTime,
    WheelOdometry,
)

PERFECT = Drift(scale_error=0.0, slip=0.0)
BASES = [MecanumBase(), DifferentialBase()]


def test_mecanum_wheels_turn_as_their_rollers_demand() -> None:
    base = MecanumBase(wheel_radius_m=0.1, half_length_m=0.3, half_width_m=0.2)
    assert base.to_wheels(1.0, 0.0, 0.0) == pytest.approx([10.0, 10.0, 10.0, 10.0])
    assert base.to_wheels(0.0, 1.0, 0.0) == pytest.approx([-10.0, 10.0, 10.0, -10.0])
    assert base.to_wheels(0.0, 0.0, 1.0) == pytest.approx([-5.0, 5.0, -5.0, 5.0])


@pytest.mark.parametrize("base", BASES)
def test_wheels_and_motion_are_inverse(base: Any) -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        x, y, yaw = random.uniform(-1.0, 1.0, 3)
        y = 0.0 if base.wheels == 2 else y
        assert base.to_motion(base.to_wheels(x, y, yaw)) == pytest.approx((x, y, yaw))


@pytest.mark.parametrize("base", BASES)
def test_perfect_wheels_follow_arcs_to_within_their_ticks(base: Any) -> None:
    random = np.random.default_rng(2)
    encoders = Encoders(base, random, PERFECT)
    wheels = WheelOdometry(base, Pose(1.0, 2.0, 0.5))
    wheels.update(0.0, encoders.ticks)
    truth = Pose(1.0, 2.0, 0.5)
    for i in range(400):
        yaw = float(random.uniform(-0.1, 0.1))
        arc = 0.05 * np.array([math.sin(yaw), 1.0 - math.cos(yaw)]) / yaw
        after = truth.plus(Pose(arc[0], arc[1], yaw))
        seen = wheels.update(0.1 * (i + 1), encoders.advance(truth, after))
        truth = after
    assert seen.pose.distance_to(truth) < 0.02
    assert abs(wrapped(seen.pose.yaw_rad - truth.yaw_rad)) < 0.005
    assert seen.vx_mps == pytest.approx(0.5, abs=0.01)
    assert seen.vy_mps == pytest.approx(0.0, abs=0.01)


def test_a_holonomic_base_sees_itself_slide_sideways() -> None:
    encoders = Encoders(MecanumBase(), np.random.default_rng(0), PERFECT)
    wheels = WheelOdometry(MecanumBase())
    wheels.update(0.0, encoders.ticks)
    ticks = encoders.advance(Pose(0.0, 0.0), Pose(0.0, 0.4))
    seen = wheels.update(0.5, ticks)
    assert seen.pose.y_m == pytest.approx(0.4, abs=1e-3)
    assert seen.vy_mps == pytest.approx(0.8, abs=1e-3)


def drifted_m(drift: Drift, seed: int, step_m: float) -> float:
    encoders = Encoders(DifferentialBase(), np.random.default_rng(seed), drift)
    wheels = WheelOdometry(DifferentialBase())
    wheels.update(0.0, encoders.ticks)
    steps = round(20.0 / step_m)
    for i in range(steps):
        before, after = Pose(i * step_m, 0.0), Pose((i + 1) * step_m, 0.0)
        seen = wheels.update(float(i + 1), encoders.advance(before, after))
    return seen.pose.distance_to(Pose(20.0, 0.0))


def test_lasting_errors_repeat_and_slip_does_not_depend_on_the_step() -> None:
    worn = Drift(scale_error=0.01, slip=0.0)
    assert drifted_m(worn, 3, 0.1) == drifted_m(worn, 3, 0.1) > 0.1
    slipping = Drift(scale_error=0.0, slip=0.02)
    coarse = np.mean([drifted_m(slipping, seed, 0.2) for seed in range(30)])
    fine = np.mean([drifted_m(slipping, seed, 0.05) for seed in range(30)])
    assert 0.5 < coarse / fine < 2.0


def test_readings_that_cannot_be_are_refused_by_name() -> None:
    wheels = WheelOdometry(DifferentialBase())
    wheels.update(1.0, (0, 0))
    with pytest.raises(TimeWentBackwards):
        wheels.update(0.9, (0, 0))
    with pytest.raises(UnusableTime):
        wheels.update(math.nan, (0, 0))
    with pytest.raises(UnusableTicks, match="2 wheels"):
        wheels.update(2.0, (0, 0, 0, 0))
    with pytest.raises(UnusableTicks, match="whole"):
        wheels.update(2.0, (0, math.nan))  # type: ignore[arg-type]
    with pytest.raises(UnusableBase):
        MecanumBase(wheel_radius_m=0.0)
    with pytest.raises(UnusableBase):
        DifferentialBase(track_m=math.nan)
    encoders = Encoders(DifferentialBase(), np.random.default_rng(0))
    with pytest.raises(UnusableOdometry):
        encoders.advance(Pose(0.0, 0.0), Pose(math.inf, 0.0))
    assert wheels.update(2.0, (0, 0)).pose == Pose(0.0, 0.0, 0.0)
