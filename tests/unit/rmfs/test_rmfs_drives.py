"""Drives of the kernel against the published equations."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from fleet.grid.kinematics import Drive, cruise_state, cruise_time_s
from shopfloor.experiments.rmfs import drive_kernels as drive


def limits(rise: float, brake: float, top: float) -> np.ndarray:
    found = np.zeros(drive.LIMITS)
    found[drive.RISE], found[drive.BRAKE], found[drive.TOP] = rise, brake, top
    return found


@pytest.mark.covers("R76", "R77", "R78", "R79", "R80", "R31")
def test_a_drive_takes_the_time_of_the_published_algorithm_from_any_speed() -> None:
    chance = random.Random(1)
    for _ in range(500):
        rise, brake = chance.uniform(0.2, 2.0), chance.uniform(0.2, 2.0)
        top = chance.uniform(0.2, 2.0)
        speed = chance.choice([0.0, top, chance.uniform(0.0, top)])
        end_m = speed * speed / (2.0 * brake) + chance.uniform(0.0, 12.0)
        motors = Drive(rise, -brake, top, 2.5)
        robot, known = np.zeros(drive.REALS), limits(rise, brake, top)
        drive.plan_drive(robot, known, 7.0, 0.0, speed, end_m)
        wanted_s = cruise_time_s(motors, speed, end_m)
        assert robot[drive.STOPS_AT] - 7.0 == pytest.approx(wanted_s, abs=1e-9)
        moment_s = chance.uniform(0.0, wanted_s)
        at_m, now_mps = drive.where_at(robot, known, 7.0 + moment_s)
        assert at_m == pytest.approx(
            cruise_state(motors, speed, end_m, moment_s)[0], abs=1e-7
        )
        if now_mps > 1e-3:
            again = drive.when_at(robot, known, at_m)
            assert again == pytest.approx(7.0 + moment_s, abs=1e-5)


@pytest.mark.covers("R80")
def test_a_robot_that_may_drive_on_keeps_its_speed() -> None:
    robot, known = np.zeros(drive.REALS), limits(1.0, 1.0, 1.5)
    drive.plan_drive(robot, known, 0.0, 0.0, 0.0, 2.0)
    at_m, speed = drive.where_at(robot, known, 1.2)
    assert speed == pytest.approx(1.2)
    drive.plan_drive(robot, known, 1.2, at_m, speed, 5.0)
    assert drive.where_at(robot, known, 1.2) == pytest.approx((at_m, speed))
    assert drive.where_at(robot, known, math.inf) == (5.0, 0.0)
