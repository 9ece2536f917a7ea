"""People in the pilot's decisions: slow, aside to the right, never too near."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shopfloor.control import RobotLimits
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.pilot import Pilot, PilotStatus
from tests.support.driving import DRIVES, Drive, DriveKind, Track, Walker, hall

START = Pose(2.0, 2.5, 0.0)
DISTANCE_M = 0.8


@pytest.mark.covers("A45")
def test_the_robot_slows_for_a_tag_that_no_laser_sees(corridor: Grid) -> None:
    speeds = {}
    for tagged in (False, True):
        walker = Walker([(9.0, 2.5)])
        track = Track(
            corridor,
            Pilot(corridor, RobotLimits()),
            START,
            walkers=[walker],
            tagged=tagged,
            seen=False,
        )
        track.pilot.set_goal(14.0, 2.5, 0.0)
        drive = Drive()
        while track.floor.pose.x_m < 7.0 and track.floor.now_s < 60.0:
            track.step(drive)
        speeds[tagged] = drive.last.vx_mps
    assert speeds[False] > 0.75
    assert speeds[True] < 0.5 * speeds[False]


@pytest.mark.long
@pytest.mark.covers("A45", "A70")
@pytest.mark.parametrize("drive_kind", DRIVES)
def test_an_approaching_person_is_passed_on_the_right(
    corridor: Grid, drive_kind: DriveKind
) -> None:
    walker = Walker([(13.0, 2.6), (1.5, 2.6)], speed_mps=0.7)
    pilot = Pilot(corridor, RobotLimits(drive=drive_kind))
    track = Track(corridor, pilot, START, walkers=[walker])
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    assert drive.approached_to_m >= DISTANCE_M
    assert drive.to_people_m >= 0.2
    lowest = min(pose.y_m for pose in drive.poses)
    highest = max(pose.y_m for pose in drive.poses)
    assert lowest < 2.5 - 0.3
    assert highest < 2.5 + 0.3


@pytest.mark.long
@pytest.mark.covers("A70")
def test_a_person_who_crosses_is_let_pass(corridor: Grid) -> None:
    walker = Walker([(7.0, 4.4), (7.0, 0.6)], speed_mps=0.6)
    track = Track(corridor, Pilot(corridor, RobotLimits()), START, walkers=[walker])
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    assert drive.approached_to_m >= DISTANCE_M
    assert drive.to_people_m >= 0.2


@pytest.mark.long
def test_a_person_in_the_only_way_is_waited_for_and_then_passed() -> None:
    narrow = hall(12.0, 1.8)
    walker = Walker([(6.0, 0.9)])
    pilot = Pilot(narrow, RobotLimits())
    track = Track(narrow, pilot, Pose(1.5, 0.9, 0.0), walkers=[walker])
    pilot.set_goal(10.5, 0.9, 0.0)
    drive = Drive()
    for _ in range(600):
        track.step(drive)
    assert drive.last.status is PilotStatus.WAITING_FOR_PERSON
    assert drive.last.still
    assert drive.approached_to_m >= DISTANCE_M
    track.walkers.clear()
    while track.step(drive).status is not PilotStatus.ARRIVED:
        assert track.floor.now_s < 120.0
    assert track.floor.pose.distance_to(Pose(10.5, 0.9)) < 0.13


@pytest.mark.long
@pytest.mark.covers("A70")
def test_an_untagged_person_before_the_hull_stops_the_robot(corridor: Grid) -> None:
    walker = Walker([(10.0, 2.5), (3.0, 2.5)], speed_mps=0.9, polite_m=0.55)
    track = Track(
        corridor, Pilot(corridor, RobotLimits()), START, walkers=[walker], tagged=False
    )
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    # The body reaches 0.2 m around the walker's middle.
    assert drive.to_people_m - 0.2 >= 0.15
    speeds = [math.hypot(c.vx_mps, c.vy_mps) for c in drive.commands]
    assert np.max(speeds) <= 0.8 + 1e-9
