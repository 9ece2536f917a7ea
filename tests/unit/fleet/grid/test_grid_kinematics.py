"""Driving times agree with numeric integration, and moves with cells."""

from __future__ import annotations

import math
import random

import pytest

from fleet.grid.kinematics import (
    Drive,
    cruise_phases,
    cruise_state,
    cruise_time_s,
    distance_after,
    distance_to_stop_m,
    distance_to_top_speed_m,
    full_distance_m,
    speed_after,
    switch_time_s,
    time_to_stop_s,
    time_to_top_speed_s,
    turn_time_s,
)
from fleet.grid.moves import Heading, Straight, Turn, moves_of

DRIVE = Drive(0.5, -0.8, 1.5, 5.5)


def integrated(acceleration: float, speed: float, time_s: float) -> tuple[float, float]:
    """Simpson's rule on the speed, which is exact for straight lines."""
    middle, end = speed + acceleration * time_s / 2, speed + acceleration * time_s
    return time_s / 6 * (speed + 4 * middle + end), end


@pytest.mark.covers("R76")
def test_speed_and_position_under_acceleration_and_at_top_speed() -> None:
    assert speed_after(0.5, 0.2, 2.0) == pytest.approx(1.2)
    assert distance_after(0.5, 0.2, 2.0) == pytest.approx(1.4)
    assert distance_after(0.0, 1.5, 2.0) == pytest.approx(3.0)


@pytest.mark.covers("R77")
def test_time_and_distance_to_top_speed_and_to_standstill() -> None:
    assert time_to_top_speed_s(DRIVE, 0.5) == pytest.approx(2.0)
    assert distance_to_top_speed_m(DRIVE, 0.5) == pytest.approx(2.0)
    assert time_to_stop_s(DRIVE, 0.8) == pytest.approx(1.0)
    assert distance_to_stop_m(DRIVE, 0.8) == pytest.approx(0.4)


@pytest.mark.covers("R78")
def test_cruise_times_agree_with_integration_in_all_four_cases() -> None:
    drawn = random.Random(78)
    cases = set()
    for _ in range(400):
        drive = Drive(
            drawn.uniform(0.1, 2), -drawn.uniform(0.1, 2), drawn.uniform(0.2, 3), 4.0
        )
        speed = drawn.choice((0.0, drive.top_speed_mps, drawn.random()))
        speed = min(speed, drive.top_speed_mps)
        distance = drawn.choice((0.0, drawn.uniform(0, 0.5), drawn.uniform(0, 30)))
        phases = cruise_phases(drive, speed, distance)
        driven, at = 0.0, speed
        for acceleration, time_s in phases:
            assert time_s >= 0.0
            step, at = integrated(acceleration, at, time_s)
            driven += step
            assert at <= drive.top_speed_mps + 1e-9
        assert at == pytest.approx(0.0, abs=1e-9)
        wanted = max(distance, distance_to_stop_m(drive, speed))
        assert driven == pytest.approx(wanted, abs=1e-9)
        assert cruise_time_s(drive, speed, distance) == pytest.approx(
            sum(time_s for _, time_s in phases), abs=1e-9
        )
        cases.add(tuple(math.copysign(1, a) if a else 0 for a, _ in phases))
    assert cases == {(-1,), (0, -1), (1, 0, -1), (1, -1)}


@pytest.mark.covers("R79")
def test_the_switch_time_and_the_full_distance() -> None:
    switch_s = switch_time_s(DRIVE, 1.0)
    peak = DRIVE.acceleration_mps2 * switch_s
    rising = distance_after(DRIVE.acceleration_mps2, 0.0, switch_s)
    assert rising + distance_to_stop_m(DRIVE, peak) == pytest.approx(1.0)
    from_rest = distance_after(DRIVE.acceleration_mps2, 0.0, 0.4 / 0.5)
    assert full_distance_m(DRIVE, 0.4, 2.0) == pytest.approx(2.0 + from_rest)
    begun_s = 0.4 / DRIVE.acceleration_mps2
    assert cruise_time_s(DRIVE, 0.4, 1.0) + begun_s == pytest.approx(
        cruise_time_s(DRIVE, 0.0, 1.0 + from_rest)
    )


@pytest.mark.covers("R80")
def test_who_is_interrupted_goes_on_from_the_present_speed() -> None:
    for after_s in (0.3, 1.9, 3.5, 5.0):
        driven, speed = cruise_state(DRIVE, 0.0, 6.0, after_s)
        assert speed > 0.0
        left_s = cruise_time_s(DRIVE, speed, 6.0 - driven)
        assert after_s + left_s == pytest.approx(cruise_time_s(DRIVE, 0.0, 6.0))
    driven, speed = cruise_state(DRIVE, 0.0, 6.0, 2.0)
    further_s = cruise_time_s(DRIVE, speed, 9.0 - driven)
    assert 2.0 + further_s == pytest.approx(cruise_time_s(DRIVE, 0.0, 9.0))
    assert cruise_state(DRIVE, 0.0, 6.0, 99.0) == pytest.approx((6.0, 0.0))


def test_a_turn_takes_its_share_of_a_full_one_the_shorter_way_round() -> None:
    assert turn_time_s(DRIVE, math.pi / 2) == pytest.approx(5.5 / 4)
    assert turn_time_s(DRIVE, 1.5 * math.pi) == pytest.approx(5.5 / 4)
    assert turn_time_s(DRIVE, -math.pi) == pytest.approx(5.5 / 2)
    assert turn_time_s(DRIVE, math.tau) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        ((0.0, -1.0, 1.0, 1.0), "acceleration is more than 0"),
        ((1.0, 1.0, 1.0, 1.0), "deceleration is less than 0"),
        ((1.0, -1.0, math.nan, 1.0), "top speed is more than 0"),
        ((1.0, -1.0, 1.0, -1.0), "a full turn takes 0 s or more"),
    ],
)
def test_motors_that_cannot_be_are_refused(
    numbers: tuple[float, float, float, float], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        Drive(*numbers)


def test_a_speed_or_distance_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="a speed of 9"):
        cruise_time_s(DRIVE, 9.0, 1.0)
    with pytest.raises(ValueError, match="a distance is 0 m or more"):
        cruise_time_s(DRIVE, 0.0, -1.0)


@pytest.mark.covers("R84")
def test_a_path_becomes_straight_on_left_and_right() -> None:
    cells = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (2, 1), (2, 0)]
    moves, heading = moves_of(cells, Heading.EAST)
    assert moves == [
        *(Straight(2), Turn.RIGHT, Straight(1), Turn.LEFT, Straight(1)),
        *(Turn.AROUND, Straight(1), Turn.RIGHT, Straight(1)),
    ]
    assert heading is Heading.NORTH
    with pytest.raises(ValueError, match=r"\(2, 2\) is not beside \(0, 0\)"):
        moves_of([(0, 0), (2, 2)], Heading.EAST)
