"""A robot's position between two words of its localisation."""

from __future__ import annotations

import math

import pytest

from robot_bridge.messages import PoseReading
from robot_bridge.reckoning import Placement, Reckoning


def at(x: float, y: float, yaw: float, stamp_s: float) -> PoseReading:
    return PoseReading(x, y, yaw, "", stamp_s)


def test_a_placement_undone_is_where_it_began() -> None:
    placed = Placement(3.0, -2.0, 1.2)
    back = placed.then(placed.inverse())
    assert (back.x, back.y, back.yaw) == pytest.approx((0.0, 0.0, 0.0))


def test_nothing_is_known_before_the_first_pose() -> None:
    reckoning = Reckoning()
    reckoning.saw_odometry(1.0, at(0, 0, 0, 1.0))
    assert reckoning.now() is None


def test_without_odometry_the_pose_is_as_old_as_its_word() -> None:
    reckoning = Reckoning()
    reckoning.saw_pose(10.0, at(5.0, 6.0, 0.5, 1.0))
    assert reckoning.now() == (Placement(5.0, 6.0, 0.5), 10.0)


def test_odometry_carries_the_pose_on_in_the_robots_direction() -> None:
    reckoning = Reckoning()
    reckoning.saw_pose(10.0, at(5.0, 6.0, math.pi / 2, 1.0))
    reckoning.saw_odometry(10.1, at(0.0, 0.0, 0.0, 1.0))
    reckoning.saw_odometry(10.3, at(2.0, 0.0, 0.0, 1.2))
    known = reckoning.now()
    assert known is not None
    place, instant = known
    assert (place.x, place.y, place.yaw) == pytest.approx((5.0, 8.0, math.pi / 2))
    assert instant == 10.3


def test_a_standing_robot_stays_fresh_while_odometry_speaks() -> None:
    reckoning = Reckoning()
    reckoning.saw_pose(10.0, at(5.0, 6.0, 0.0, 1.0))
    for tick in range(100):
        reckoning.saw_odometry(10.0 + tick, at(1.0, 1.0, 0.0, 1.0 + tick))
    known = reckoning.now()
    assert known is not None
    assert (known[0].x, known[0].y, known[1]) == pytest.approx((5.0, 6.0, 109.0))


def test_the_pose_is_joined_at_its_own_instant_not_at_its_arrival() -> None:
    reckoning = Reckoning()
    reckoning.saw_odometry(1.0, at(0.0, 0.0, 0.0, 1.0))
    reckoning.saw_odometry(1.2, at(1.0, 0.0, 0.0, 2.0))
    reckoning.saw_pose(1.3, at(10.0, 0.0, 0.0, 1.5))
    known = reckoning.now()
    assert known is not None
    assert known[0].x == pytest.approx(10.5)


def test_a_pose_newer_than_all_odometry_counts_as_it_is() -> None:
    reckoning = Reckoning()
    reckoning.saw_odometry(1.0, at(0.0, 0.0, 0.0, 1.0))
    reckoning.saw_pose(1.3, at(10.0, 0.0, 0.0, 1.5))
    assert reckoning.now() == (Placement(10.0, 0.0, 0.0), 1.3)


def test_a_restarted_odometry_does_not_throw_the_robot_about() -> None:
    reckoning = Reckoning()
    reckoning.saw_pose(1.0, at(10.0, 0.0, 0.0, 1.0))
    reckoning.saw_odometry(1.0, at(7.0, 0.0, 0.0, 1.0))
    reckoning.forget_odometry()
    reckoning.saw_odometry(9.0, at(0.0, 0.0, 0.0, 9.0))
    known = reckoning.now()
    assert known is not None
    assert known[0].x == pytest.approx(10.0)
