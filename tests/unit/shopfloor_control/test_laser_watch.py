"""The watch over the lasers: what it believes, what it does not, and when again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from shopfloor.control.laser_watch import LaserWatch
from shopfloor.control.limits import RobotLimits
from shopfloor.geometry import Odometry, Pose, Scan
from shopfloor.grid import Grid
from shopfloor.lasers import Laser, front_and_rear, simulate_scan
from shopfloor.pilot import Cause, Pilot, PilotStatus

CYCLE_S = 0.025
LASERS = front_and_rear(ahead_m=0.25, beams=181, range_max_m=15.0)
Broken = Callable[[Scan], Scan | None]


class Rig:
    """A robot that drives along a hall at 0.8 m/s, and a watch over its lasers."""

    def __init__(self, grid: Grid, lasers: Sequence[Laser] = LASERS) -> None:
        self.grid, self.lasers = grid, lasers
        self.watch = LaserWatch(grid)
        for laser in lasers:
            self.watch.expect(laser.name, laser.period_s)
        self.random = np.random.default_rng(3)
        self.pose, self.cycle, self.speed_mps = Pose(3.0, 2.5), 0, 0.8
        self.said: str | None = None

    @property
    def now_s(self) -> float:
        return self.cycle * CYCLE_S

    def scans(self) -> list[Scan]:
        return [
            simulate_scan(self.grid, self.pose, laser, self.random, at_s=self.now_s)
            for laser in self.lasers
        ]

    def run(
        self, cycles: int, front: Broken = lambda scan: scan, pose_known: bool = True
    ) -> str | None:
        for _ in range(cycles):
            self.cycle += 1
            x_m = self.pose.x_m + self.speed_mps * CYCLE_S
            self.pose = Pose(x_m, self.pose.y_m)
            first, *others = self.scans()
            told = [scan for scan in (front(first), *others) if scan is not None]
            pose = self.pose if pose_known else None
            self.said = self.watch.look(self.now_s, pose, Odometry(self.pose), told)
        return self.said


@pytest.fixture
def rig(corridor: Grid) -> Rig:
    rig = Rig(corridor)
    assert rig.run(20) is None
    return rig


def missing(scan: Scan) -> None:
    return None


def empty(scan: Scan) -> Scan:
    return replace(scan, ranges_m=np.full_like(scan.ranges_m, math.inf))


def dirty(scan: Scan, range_m: float = math.inf) -> Scan:
    ranges = scan.ranges_m.copy()
    ranges[np.arange(len(ranges)) % 10 != 0] = range_m
    return replace(scan, ranges_m=ranges)


def late(scan: Scan) -> Scan:
    return replace(scan, taken_at_s=(scan.taken_at_s or 0.0) - 0.3)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (missing, "front laser: no scan for 0.4 s"),
        (late, "front laser: only late scans for 0.4 s"),
        (empty, "front laser: empty scans for 0.4 s"),
        (dirty, "front laser: few returns for 0.4 s"),
        (lambda scan: dirty(scan, 0.005), "front laser: few returns for 0.4 s"),
    ],
)
def test_what_is_wrong_with_a_laser_is_said_by_name(
    rig: Rig, broken: Broken, words: str
) -> None:
    assert rig.run(4, broken) is not None, "after a tenth of a second"
    assert rig.run(12, broken) == words
    assert list(rig.watch.faults) == ["front laser"]


def test_one_lost_scan_stops_nobody(rig: Rig) -> None:
    for broken in (missing, late, empty, dirty):
        for cycles in (1, 2, 3):
            assert rig.run(cycles, broken) is None
            assert rig.run(2) is None


def test_an_old_stamp_is_an_old_scan_even_while_the_robot_stands(rig: Rig) -> None:
    rig.speed_mps = 0.0
    (kept, _) = rig.scans()
    assert rig.run(5, lambda _: kept) == "front laser: no new scan for 0.1 s"


def test_equal_ranges_under_new_stamps_are_a_fault_once_the_robot_has_moved(
    rig: Rig,
) -> None:
    (kept, _) = rig.scans()

    def frozen(scan: Scan) -> Scan:
        return replace(kept, taken_at_s=scan.taken_at_s)

    rig.speed_mps = 0.0
    assert rig.run(100, frozen) is None, "nobody can tell while it stands"
    rig.speed_mps = 0.8
    assert str(rig.run(6, frozen)).startswith("front laser: the same scan")
    rig.speed_mps = 0.0
    assert rig.run(100, frozen) is not None, "standing mends nothing"


def test_a_laser_without_noise_before_a_standing_robot_is_believed(
    corridor: Grid,
) -> None:
    exact = [replace(laser, noise_m=0.0) for laser in LASERS]
    rig = Rig(corridor, exact)
    rig.speed_mps = 0.0
    assert rig.run(200) is None
    rig.speed_mps = 0.4
    assert rig.run(200) is None


def test_a_laser_is_believed_again_when_it_was_healthy_for_a_second(rig: Rig) -> None:
    rig.speed_mps = 0.0
    assert rig.run(20, empty) is not None
    assert rig.run(39) == "front laser: empty scans until just now"
    assert rig.run(4, missing) == "front laser: no scan for 1.6 s"
    assert rig.run(40) is not None
    assert rig.run(2) is None
    assert rig.watch.faults == {}


def test_a_slow_laser_may_repeat_itself_between_its_scans(corridor: Grid) -> None:
    slow = [replace(laser, period_s=0.08) for laser in LASERS]
    rig = Rig(corridor, slow)
    kept: list[Scan] = []

    def every_third(scan: Scan) -> Scan:
        if rig.cycle % 3 == 0 or not kept:
            kept[:] = [scan]
        return kept[0]

    assert rig.run(120, every_third) is None
    (last,) = kept
    assert "no new scan" in str(rig.run(9, lambda _: last))


def test_a_laser_that_fails_on_and_off_is_not_believed(rig: Rig) -> None:
    for _ in range(10):
        rig.run(3, missing)
        rig.run(1)
    assert rig.said == "front laser: no scan, on and off"
    assert rig.run(45) is None
    for _ in range(20):
        assert rig.run(1, missing) is None
        assert rig.run(3) is None


def test_a_scan_in_doubt_wipes_nothing_away(rig: Rig) -> None:
    """The scan before it counts, from where the robot is now."""
    (before, _) = rig.scans()
    rig.run(1, lambda _: before)
    assert rig.run(2, empty) is None
    front, rear = rig.watch.believed
    assert np.array_equal(front.ranges_m, before.ranges_m)
    moved_m = before.mount.x_m - front.mount.x_m
    assert moved_m == pytest.approx(2 * rig.speed_mps * CYCLE_S)
    assert rear.laser == "rear laser"


@pytest.mark.parametrize("middle", [-90, 0, 60])
def test_a_part_of_a_laser_that_sees_nothing_is_a_fault(rig: Rig, middle: int) -> None:
    def shaded(scan: Scan) -> Scan:
        beams = np.abs(np.degrees(scan.angles_rad) - middle) < 20.0
        return replace(scan, ranges_m=np.where(beams, math.inf, scan.ranges_m))

    assert "front laser: a part sees nothing" in str(rig.run(6, shaded))


def knocked(scan: Scan) -> Scan:
    return replace(scan, ranges_m=np.roll(scan.ranges_m, 40))


def mirrored(scan: Scan) -> Scan:
    return replace(scan, ranges_m=scan.ranges_m[::-1])


@pytest.mark.parametrize("broken", [knocked, mirrored])
def test_a_laser_that_sees_something_else_than_the_other_is_named(
    rig: Rig, broken: Broken
) -> None:
    rig.pose = Pose(rig.pose.x_m, 1.4)
    assert rig.run(60) is None
    said = str(rig.run(8, broken))
    assert said.startswith("front laser: not what the other laser sees")
    assert list(rig.watch.faults) == ["front laser"]
    rig.speed_mps = 0.0
    rig.run(8, broken, pose_known=False)
    assert list(rig.watch.faults) == ["front laser", "rear laser"], "one of the two"


def test_a_laser_that_was_never_heard_is_missed_at_once(corridor: Grid) -> None:
    assert Rig(corridor).run(1, missing) == "front laser: no scan for 0.0 s"


def test_both_lasers_are_named_when_both_are_silent(rig: Rig) -> None:
    rig.cycle += 1
    rig.watch.look(rig.now_s, rig.pose, None, [])
    rig.cycle += 4
    said = rig.watch.look(rig.now_s, rig.pose, None, [])
    assert said == "front laser: no scan for 0.1 s; rear laser: no scan for 0.1 s"


def test_in_a_wide_place_beams_may_come_back_from_nothing() -> None:
    yard = Rig(Grid.of(np.zeros((1000, 1000), np.bool_), 0.05))
    yard.pose = Pose(20.0, 25.0)
    assert yard.run(100) is None
    assert all(np.isinf(scan.ranges_m).all() for scan in yard.scans())
    pilot = Pilot(yard.grid, RobotLimits())
    assert pilot.set_goal(30.0, 25.0, 0.0) is None
    for _ in range(20):
        yard.cycle += 1
        command = pilot.step(yard.now_s, yard.pose, None, yard.scans())
    assert command.status is PilotStatus.DRIVING


def test_a_robot_that_is_lost_still_says_which_laser_is_silent(rig: Rig) -> None:
    assert rig.run(5, missing, pose_known=False) is not None
    assert "front laser" in str(rig.said)


def test_two_empty_lasers_keep_their_cause_and_are_named(corridor: Grid) -> None:
    rig = Rig(corridor)
    pilot = Pilot(corridor, RobotLimits())
    for _ in range(10):
        rig.cycle += 1
        scans = [empty(scan) for scan in rig.scans()]
        command = pilot.step(rig.now_s, rig.pose, None, scans)
        assert command.cause is Cause.LASERS_SEE_NOTHING
    assert "front laser: empty scans" in command.detail
    assert "rear laser: empty scans" in command.detail


def test_waiting_for_a_laser_neither_loses_the_robot_nor_its_goal(
    corridor: Grid,
) -> None:
    rig = Rig(corridor)
    rig.speed_mps = 0.0
    pilot = Pilot(corridor, RobotLimits())
    assert pilot.set_goal(14.0, 2.5, 0.0) is None
    for cycle in range(4000):
        rig.cycle = cycle
        broken = 100 <= cycle < 3900
        scans = rig.scans()[1:] if broken else rig.scans()
        pose = None if broken else rig.pose
        command = pilot.step(rig.now_s, pose, Odometry(rig.pose), scans)
        if cycle == 3000:
            assert command.still
            assert command.status is PilotStatus.STOPPED
            assert command.cause is Cause.LASER_FAULT
            assert command.detail == "front laser: no scan for 72.5 s"
    assert command.status is PilotStatus.DRIVING
