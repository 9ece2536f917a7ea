"""Limits of robots, empty and loaded, and speeds that change without a jolt."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopfloor.control import (
    LimitsRefused,
    PayloadRefused,
    Ramp,
    RobotLimits,
    speed_to_stop_within,
)


@pytest.mark.covers("A84")
def test_a_loaded_robot_accelerates_less_and_brakes_later() -> None:
    empty = RobotLimits(mass_kg=150.0)
    loaded = empty.loaded(150.0)
    assert loaded.accel_mps2 == pytest.approx(0.5 * empty.accel_mps2)
    assert loaded.braking_distance_m(0.8) > 1.5 * empty.braking_distance_m(0.8)
    assert loaded.honest_speed_mps(0.5) < empty.honest_speed_mps(0.5)


@given(
    free_m=st.floats(0.0, 20.0),
    braking=st.floats(0.1, 3.0),
    latency=st.floats(0.0, 0.5),
)
def test_an_honest_speed_stops_within_what_is_seen_free(
    free_m: float, braking: float, latency: float
) -> None:
    limits = RobotLimits(braking_mps2=braking, latency_s=latency)
    speed = limits.honest_speed_mps(free_m)
    assert limits.braking_distance_m(speed) == pytest.approx(free_m, abs=1e-6)


def test_without_latency_the_honest_speed_is_the_root_of_2_a_d() -> None:
    assert speed_to_stop_within(0.5, 1.0) == pytest.approx(math.sqrt(2 * 1.0 * 0.5))
    assert speed_to_stop_within(-0.1, 1.0) == 0.0


@pytest.mark.parametrize("payload_kg", [-1.0, math.nan, math.inf, 501.0])
def test_a_load_that_cannot_be_is_refused(payload_kg: float) -> None:
    with pytest.raises(PayloadRefused):
        RobotLimits(max_payload_kg=500.0).loaded(payload_kg)


@pytest.mark.parametrize("name", ["speed_mps", "accel_mps2", "radius_m", "mass_kg"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_limits_that_no_robot_has_are_refused(name: str, value: float) -> None:
    with pytest.raises(LimitsRefused, match=name):
        replace(RobotLimits(), **{name: value})  # type: ignore[arg-type]


def test_an_unknown_drive_is_refused() -> None:
    with pytest.raises(LimitsRefused, match="flying"):
        RobotLimits(drive="flying")  # type: ignore[arg-type]


@pytest.mark.covers("A39")
@settings(max_examples=30, deadline=None)
@given(wishes=st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), max_size=6))
def test_a_ramp_limits_acceleration_and_its_change(
    wishes: list[tuple[float, float]],
) -> None:
    ramp = Ramp()
    dt, accel, jerk = 0.025, 0.5, 2.0
    last = (0.0, 0.0)
    last_accel = (0.0, 0.0)
    for wish in wishes:
        for _ in range(60):
            ramp.step(*wish, dt, accel, jerk)
            now = ((ramp.x - last[0]) / dt, (ramp.y - last[1]) / dt)
            assert math.hypot(*now) <= accel + 1e-9
            change = math.hypot(now[0] - last_accel[0], now[1] - last_accel[1])
            assert change <= 2.0 * jerk * dt + 1e-9
            last, last_accel = (ramp.x, ramp.y), now


def test_a_ramp_reaches_what_is_wished() -> None:
    ramp = Ramp()
    for _ in range(200):
        ramp.step(0.8, 0.0, 0.025, 0.5, 2.0)
    assert (ramp.x, ramp.y) == (0.8, 0.0)


def test_turning_the_frame_keeps_the_velocity_over_the_floor() -> None:
    ramp = Ramp()
    ramp.x = 1.0
    ramp.turned(math.pi / 2)
    assert (ramp.x, ramp.y) == pytest.approx((0.0, -1.0))
