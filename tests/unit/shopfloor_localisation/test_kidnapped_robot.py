"""Robots that are switched on somewhere, or carried away without their wheels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shopfloor.geometry import Odometry, Pose, Scan, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import UnusableScan
from shopfloor.localisation import Amcl, Tuning, relocalise
from tests.support.rounds import LOOP, drive, readings
from tests.support.seeds import seeds

TRIALS = 12


def is_near(pose: Pose, truth: Pose) -> bool:
    off = abs(wrapped(pose.yaw_rad - truth.yaw_rad))
    return pose.distance_to(truth) < 0.1 and off < math.radians(3.0)


@pytest.mark.parametrize("seed", seeds(TRIALS, 2))
def test_a_carried_robot_finds_itself_again(corridors: Grid, seed: int) -> None:
    random = np.random.default_rng(seed)
    way = drive(LOOP, False)
    begin, there = (int(n) for n in random.integers(0, len(way) - 100, 2))
    while way[begin].distance_to(way[there]) < 2.0:
        there = int(random.integers(0, len(way) - 100))
    turn = float(random.uniform(-math.pi, math.pi))
    carried = [
        Pose(p.x_m, p.y_m, wrapped(p.yaw_rad + turn)) for p in way[there : there + 80]
    ]
    amcl = Amcl(corridors, np.random.default_rng(1000 + seed), way[begin])
    at_s, wheels = 0.0, Pose(0.0, 0.0)
    for leg, truth in enumerate((way[begin : begin + 15], carried)):
        origin = wheels
        found: list[bool] = []
        names = set()
        for reading in readings(corridors, truth, 10 * seed + leg):
            at_s += 0.1
            wheels = origin.plus(reading.odometry.pose.seen_from(truth[0]))
            estimate = amcl.update(at_s, Odometry(wheels), reading.scans)
            found.append(is_near(estimate.pose, reading.truth))
            names.add(estimate.status)
    assert names & {"lost", "uncertain"}
    assert not found[0]
    assert all(found[-20:])
    assert estimate.status == "tracking"


@pytest.mark.parametrize("seed", seeds(4))
def test_a_robot_that_stands_where_it_was_put_finds_itself(
    corridors: Grid, seed: int
) -> None:
    way = drive(LOOP, False)
    truth = way[100 + 150 * seed]
    amcl = Amcl(corridors, np.random.default_rng(seed), way[0])
    for reading in readings(corridors, [truth] * 20, seed):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
    assert is_near(estimate.pose, truth)


@pytest.mark.parametrize("seed", seeds(4))
def test_a_robot_without_a_first_pose_finds_itself(corridors: Grid, seed: int) -> None:
    truth = drive(LOOP, False)[60 + 170 * seed :][:60]
    amcl = Amcl(corridors, np.random.default_rng(seed))
    assert amcl.estimate.status == "lost"
    for reading in readings(corridors, truth, seed):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
    assert is_near(estimate.pose, reading.truth)
    assert estimate.status == "tracking"
    assert estimate.mass > 0.9


def test_a_robot_in_a_hall_that_is_not_on_its_map_says_that_it_is_lost(
    corridors: Grid,
) -> None:
    elsewhere = np.ones((400, 400), np.bool_)
    rows, columns = np.ogrid[:400, :400]
    ring = np.hypot(rows - 200, columns - 200)
    elsewhere[(ring < 180) & (ring > 8)] = False
    hall = Grid.of(elsewhere, 0.05)
    truth = [Pose(6.0 + 0.08 * i, 6.0, 0.0) for i in range(40)]
    amcl = Amcl(corridors, np.random.default_rng(3), Pose(3.0, 2.2, 0.0))
    for reading in readings(hall, truth, 3):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
    assert estimate.status == "lost"
    assert estimate.quality < 0.45


@pytest.mark.long
def test_the_search_names_the_place_first_and_checks_it_by_rays(
    corridors: Grid,
) -> None:
    random = np.random.default_rng(4)
    way = drive(LOOP, False)
    for truth in way[::90]:
        (reading,) = readings(corridors, [truth], 4)
        best, *others = relocalise(corridors, reading.scans, random)
        assert is_near(best.pose, truth)
        assert best.quality > 0.85
        assert all(
            other.pose.distance_to(best.pose) > 0.3
            or abs(wrapped(other.pose.yaw_rad - best.pose.yaw_rad)) > 0.3
            for other in others
        )


def test_a_map_turned_in_its_frame_is_searched_as_well(corridors: Grid) -> None:
    frame = Pose(-4.0, 9.0, 0.8)
    turned = Grid.of(corridors.cells, 0.05, (frame.x_m, frame.y_m, frame.yaw_rad))
    truth = frame.plus(Pose(9.0, 11.8, -0.7))
    (reading,) = readings(turned, [truth], 5)
    best = relocalise(turned, reading.scans, np.random.default_rng(5))[0]
    assert is_near(best.pose, truth)


def test_falling_agreement_lets_in_poses_from_all_over_the_map(corridors: Grid) -> None:
    way = drive(LOOP, False)
    tuning = Tuning(recover=False)
    amcl = Amcl(corridors, np.random.default_rng(8), way[0], tuning)
    origin, spread = Pose(0.0, 0.0), []
    for begin in (0, 400):
        truth = way[begin : begin + 40]
        widest = 0.0
        for reading in readings(corridors, truth, 8):
            wheels = reading.odometry.pose.seen_from(truth[0])
            at_s = reading.at_s + begin
            step = Odometry(origin.plus(wheels))
            amcl.update(at_s, step, reading.scans)
            widest = max(widest, float(np.ptp(amcl.particles[:, 0])))
        origin = step.pose
        spread.append(widest)
    assert spread[0] < 1.0
    assert spread[1] > 10.0


def test_scans_that_show_nothing_find_nothing(corridors: Grid) -> None:
    random = np.random.default_rng(6)
    nothing = Scan(np.full(90, math.inf), -1.5, 0.03, 20.0)
    assert relocalise(corridors, [nothing], random) == []
    assert relocalise(corridors, [], random) == []
    amcl = Amcl(corridors, random)
    before = amcl.particles
    assert amcl.relocalise([nothing]) == []
    np.testing.assert_array_equal(amcl.particles, before)
    broken = Scan(np.full(90, math.nan), -1.5, 0.03, 20.0)
    with pytest.raises(UnusableScan):
        relocalise(corridors, [broken], random)


def test_being_told_the_place_ends_the_search(corridors: Grid) -> None:
    amcl = Amcl(corridors, np.random.default_rng(7))
    there = Pose(4.0, 2.2, 0.0)
    amcl.set_pose(there)
    (reading,) = readings(corridors, [there], 7)
    estimate = amcl.update(0.0, reading.odometry, reading.scans)
    assert estimate.status == "tracking"
    assert estimate.pose.distance_to(there) < 0.1
