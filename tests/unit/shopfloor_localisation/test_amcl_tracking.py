"""The particle filter on a drive of 66 m, and what it says when it cannot know."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shopfloor.geometry import Odometry, Pose, Scan, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import UnusableScan
from shopfloor.localisation import (
    Amcl,
    KnownPose,
    Localiser,
    NothingFree,
    TimeWentBackwards,
    Tuning,
    UnusableOdometry,
    UnusableStart,
    UnusableTime,
    explained_beams,
    quality,
)
from tests.support.rounds import LOOP, drive, readings
from tests.support.seeds import seeds

HERE = Pose(4.0, 2.2, 0.0)


def blind_scan(beams: int = 136) -> Scan:
    return Scan(np.full(beams, math.inf), -2.3, 4.6 / beams, 20.0)


@pytest.mark.long
@pytest.mark.covers("A22", "A23")
@pytest.mark.parametrize(
    ("seed", "differential"),
    [(0, False), (1, True), pytest.param(2, False, marks=pytest.mark.soak)],
)
def test_the_wheels_drift_away_and_the_filter_stays(
    corridors: Grid, seed: int, differential: bool
) -> None:
    truth = drive(LOOP, differential)
    tuning = Tuning(holonomic=not differential)
    amcl = Amcl(corridors, np.random.default_rng(seed), truth[0], tuning)
    wheels, place, heading = [], [], []
    for reading in readings(corridors, truth, seed, differential):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
        wheels.append(reading.odometry.pose.distance_to(reading.truth))
        place.append(estimate.pose.distance_to(reading.truth))
        off = wrapped(estimate.pose.yaw_rad - reading.truth.yaw_rad)
        heading.append(abs(math.degrees(off)))
        assert estimate.status == "tracking"
    quarter = len(wheels) // 4
    assert max(wheels) > 0.5
    assert np.mean(wheels[-quarter:]) > 3.0 * np.mean(wheels[:quarter])
    assert max(place) < 0.1
    assert max(heading) < 3.0
    assert np.mean(place) < 0.03
    assert np.mean(place[-quarter:]) < np.mean(place[:quarter]) + 0.01


def test_the_same_seed_gives_the_same_estimate(corridors: Grid) -> None:
    truth = drive(LOOP, False)[:40]
    ends = []
    for _ in range(2):
        amcl = Amcl(corridors, np.random.default_rng(5), truth[0])
        for reading in readings(corridors, truth, 5):
            estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
        ends.append(estimate.pose)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("seed", seeds(4))
def test_a_crowd_that_no_map_knows_does_not_move_the_estimate(
    corridors: Grid, seed: int
) -> None:
    random = np.random.default_rng(600 + seed)
    truth = drive(LOOP, False)[180 * seed :][:120]
    legs: list[list[float]] = []
    while len(legs) < 14:
        near = truth[int(random.integers(15, 120))]
        x, y = np.array([near.x_m, near.y_m]) + random.uniform(-1.2, 1.2, 2)
        aside = min(pose.distance_to(Pose(x, y)) for pose in truth)
        if aside > 0.62 and corridors.is_free(x, y):
            legs.append([x, y, 0.15])
    amcl = Amcl(corridors, np.random.default_rng(seed), truth[0])
    for reading in readings(corridors, truth, seed, discs=legs):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
        assert estimate.pose.distance_to(reading.truth) < 0.1
        assert estimate.status != "lost"


def test_beams_on_a_box_are_the_ones_the_map_does_not_explain(corridors: Grid) -> None:
    (clean,) = readings(corridors, [HERE], 1, phantom_share=0.0)
    (boxed,) = readings(
        corridors, [HERE], 1, phantom_share=0.0, discs=[[6.0, 2.2, 0.3]]
    )
    before = explained_beams(corridors, HERE, clean.scans[0])
    after = explained_beams(corridors, HERE, boxed.scans[0])
    changed = boxed.scans[0].ranges_m < clean.scans[0].ranges_m - 0.5
    assert before.mean() > 0.98
    assert changed.sum() >= 5
    assert not after[changed].any()
    assert quality(corridors, HERE, clean.scans) > 0.95
    assert quality(corridors, Pose(8.15, 1.35), clean.scans) == 0.0


def test_the_cloud_grows_with_the_doubt_and_shrinks_with_certainty(
    corridors: Grid,
) -> None:
    truth = drive(LOOP, False)[:60]
    sizes = []
    for spread_m, spread_rad in ((0.02, 0.01), (0.3, 0.2), (0.8, 0.6)):
        random = np.random.default_rng(7)
        amcl = Amcl(corridors, random, truth[0], Tuning(), spread_m, spread_rad)
        sizes.append(amcl.estimate.particles)
    assert sizes[0] == Tuning().least_particles
    assert sizes[0] < sizes[1] < sizes[2] <= Tuning().most_particles
    for reading in readings(corridors, truth, 7):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
    assert estimate.particles == Tuning().least_particles
    assert estimate.pose.distance_to(reading.truth) < 0.1


def test_the_covariance_holds_the_error(corridors: Grid) -> None:
    truth = drive(LOOP, False)[:300]
    amcl = Amcl(corridors, np.random.default_rng(8), truth[0])
    within = []
    for reading in readings(corridors, truth, 8):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
        sigma = math.sqrt(np.trace(estimate.covariance[:2, :2]))
        within.append(estimate.pose.distance_to(reading.truth) < 3.0 * sigma + 1e-3)
    assert np.mean(within) > 0.95


def test_without_a_single_return_the_belief_is_kept_and_called_blind(
    corridors: Grid,
) -> None:
    amcl = Amcl(corridors, np.random.default_rng(9), HERE)
    before = amcl.particles
    for i, scans in enumerate(([blind_scan(), blind_scan()], [], [blind_scan()])):
        estimate = amcl.update(float(i), Odometry(Pose(0.0, 0.0)), scans)
        assert estimate.status == "blind"
        assert estimate.quality == 0.0
    np.testing.assert_array_equal(amcl.particles, before)
    # The wheels still carry it, and it grows less sure.
    step = Odometry(Pose(1.0, 0.0))
    moved = amcl.update(4.0, step, [blind_scan()])
    assert moved.pose.distance_to(Pose(HERE.x_m + 1.0, HERE.y_m)) < 0.1
    assert np.trace(moved.covariance) > np.trace(estimate.covariance)


def test_a_standing_robot_keeps_its_cloud(corridors: Grid) -> None:
    amcl = Amcl(corridors, np.random.default_rng(10), HERE)
    before = amcl.particles
    for reading in readings(corridors, [HERE] * 30, 10):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
        assert estimate.status == "tracking"
    np.testing.assert_array_equal(amcl.particles, before)


def test_refused_readings_are_named_and_change_nothing(corridors: Grid) -> None:
    amcl = Amcl(corridors, np.random.default_rng(11), HERE)
    (reading,) = readings(corridors, [HERE], 11)
    good = amcl.update(1.0, reading.odometry, reading.scans)
    before = amcl.particles
    with pytest.raises(TimeWentBackwards):
        amcl.update(0.5, reading.odometry, reading.scans)
    with pytest.raises(UnusableTime):
        amcl.update(math.nan, reading.odometry, reading.scans)
    with pytest.raises(UnusableOdometry, match="nowhere"):
        amcl.update(1.1, Odometry(Pose(math.nan, 0.0)), reading.scans)
    ranges = reading.scans[0].ranges_m.copy()
    ranges[3] = math.nan
    broken = Scan(ranges, -2.3, 0.03, 20.0)
    with pytest.raises(UnusableScan, match="not a number"):
        amcl.update(1.1, reading.odometry, [broken])
    np.testing.assert_array_equal(amcl.particles, before)
    assert amcl.update(1.2, reading.odometry, reading.scans).pose == good.pose


def test_wheels_that_were_reset_are_named_once_and_then_followed(
    corridors: Grid,
) -> None:
    amcl = Amcl(corridors, np.random.default_rng(12), HERE)
    (reading,) = readings(corridors, [HERE], 12)
    amcl.update(0.0, Odometry(Pose(100.0, 0.0)), reading.scans)
    with pytest.raises(UnusableOdometry, match="jumped"):
        amcl.update(0.1, Odometry(Pose(0.0, 0.0)), reading.scans)
    after = amcl.update(0.2, Odometry(Pose(0.0, 0.0)), reading.scans)
    assert after.pose.distance_to(HERE) < 0.1


def test_a_start_off_the_map_and_a_map_without_floor_are_refused(
    corridors: Grid,
) -> None:
    random = np.random.default_rng(0)
    with pytest.raises(UnusableStart, match="not on the map"):
        Amcl(corridors, random, Pose(-5.0, 0.0))
    with pytest.raises(UnusableStart, match="finite"):
        Amcl(corridors, random, Pose(math.nan, 0.0))
    with pytest.raises(NothingFree):
        Amcl(Grid.of(np.ones((5, 5), np.bool_)), random)


@pytest.mark.covers("A86")
def test_the_truth_can_stand_in_for_the_filter(corridors: Grid) -> None:
    truth = drive(LOOP, False)[:30]
    (latest,) = truth[:1]

    def told() -> Pose:
        return latest

    localisers: list[Localiser] = [
        KnownPose(told),
        Amcl(corridors, np.random.default_rng(13), truth[0]),
    ]
    for reading in readings(corridors, truth, 13):
        latest = reading.truth
        exact, filtered = (
            one.update(reading.at_s, reading.odometry, reading.scans)
            for one in localisers
        )
        assert exact.pose == reading.truth
        assert filtered.pose.distance_to(exact.pose) < 0.1
