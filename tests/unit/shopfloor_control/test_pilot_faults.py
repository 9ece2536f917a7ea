"""Whatever is wrong has a name, and the robot stands still."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shopfloor.control import ControlRefused, PayloadRefused, RobotLimits
from shopfloor.geometry import Odometry, Pose, Scan, TagSeen
from shopfloor.grid import Grid
from shopfloor.lasers import front_and_rear, simulate_scan
from shopfloor.pilot import Cause, Pilot, PilotSettings, PilotStatus
from tests.support.driving import Track, hall

HERE = Pose(4.0, 2.5, 0.0)


def scans_of(grid: Grid, pose: Pose = HERE) -> list[Scan]:
    random = np.random.default_rng(4)
    return [
        simulate_scan(grid, pose, laser, random)
        for laser in front_and_rear(ahead_m=0.25, beams=181)
    ]


@pytest.fixture
def driving(corridor: Grid) -> Pilot:
    """On its way for half a second, so that standing still means something."""
    pilot = Pilot(corridor, RobotLimits())
    assert pilot.set_goal(14.0, 2.5, 0.0) is None
    scans = scans_of(corridor)
    for cycle in range(20):
        command = pilot.step(cycle * 0.025, HERE, None, scans)
    assert command.status is PilotStatus.DRIVING
    assert command.vx_mps > 0.05
    return pilot


@pytest.mark.parametrize(
    ("goal", "cause"),
    [
        ((100.0, 2.5, 0.0), Cause.GOAL_OUTSIDE_MAP),
        ((-0.1, 2.5, 0.0), Cause.GOAL_OUTSIDE_MAP),
        ((0.05, 2.5, 0.0), Cause.GOAL_IN_WALL),
        ((8.0, 0.3, 0.0), Cause.GOAL_IN_WALL),
        ((math.nan, 2.5, 0.0), Cause.GOAL_NOT_FINITE),
        ((8.0, math.inf, 0.0), Cause.GOAL_NOT_FINITE),
        ((8.0, 2.5, math.nan), Cause.GOAL_NOT_FINITE),
    ],
)
def test_a_goal_that_cannot_be_fails_with_its_cause(
    driving: Pilot, corridor: Grid, goal: tuple[float, float, float], cause: Cause
) -> None:
    assert driving.set_goal(*goal) is cause
    command = driving.step(1.0, HERE, None, scans_of(corridor))
    assert command.status is PilotStatus.FAILED
    assert command.cause is cause
    assert command.still


def test_a_goal_behind_walls_is_unreachable() -> None:
    cells = np.zeros((100, 200), np.bool_)
    cells[:2], cells[-2:], cells[:, :2], cells[:, -2:] = True, True, True, True
    cells[:, 100:104] = True
    grid = Grid.of(cells, 0.05)
    pilot = Pilot(grid, RobotLimits())
    assert pilot.set_goal(8.0, 2.5, 0.0) is None
    here = Pose(2.0, 2.5)
    command = pilot.step(0.0, here, None, scans_of(grid, here))
    assert command.status is PilotStatus.FAILED
    assert command.cause is Cause.UNREACHABLE
    assert command.still


def test_time_that_goes_backwards_stops_the_robot_and_the_goal_is_kept(
    driving: Pilot, corridor: Grid
) -> None:
    command = driving.step(0.1, HERE, None, scans_of(corridor))
    assert command.status is PilotStatus.STOPPED
    assert command.cause is Cause.TIME_WENT_BACKWARDS
    assert command.still
    assert "0.1" in command.detail
    for cycle in range(1, 8):
        command = driving.step(0.1 + cycle * 0.025, HERE, None, scans_of(corridor))
    assert command.status is PilotStatus.DRIVING


def fault(driving: Pilot, corridor: Grid, name: str) -> Any:
    scans = scans_of(corridor)
    if name == "time":
        return driving.step(math.nan, HERE, None, scans)
    if name == "button":
        return driving.step(1.0, HERE, None, scans, (), True)
    if name == "no scan":
        return driving.step(1.0, HERE, None, [])
    if name == "all infinite":
        for scan in scans:
            scan.ranges_m[:] = math.inf
        return driving.step(1.0, HERE, None, scans)
    if name == "range":
        scans[0].ranges_m[3] = math.nan
        return driving.step(1.0, HERE, None, scans)
    if name == "tag":
        return driving.step(1.0, HERE, None, scans, [TagSeen("9", math.nan, 0.0, 0.1)])
    if name == "wheels":
        return driving.step(1.0, HERE, Odometry(HERE, math.nan), scans)
    if name == "pose":
        return driving.step(1.0, Pose(math.nan, 0.0), None, scans)
    if name == "off the map":
        return driving.step(1.0, Pose(-3.0, 2.0), None, scans)
    return driving.step(1.0, None, None, scans)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("time", Cause.TIME_NOT_FINITE),
        ("button", Cause.STOP_PRESSED),
        ("no scan", Cause.NO_SCAN),
        ("all infinite", Cause.LASERS_SEE_NOTHING),
        ("range", Cause.SCAN_UNUSABLE),
        ("tag", Cause.TAG_UNUSABLE),
        ("wheels", Cause.ODOMETRY_UNUSABLE),
        ("pose", Cause.LOST),
        ("off the map", Cause.LOST),
        ("lost", Cause.LOST),
    ],
)
def test_what_cannot_be_used_stops_the_robot_by_name(
    driving: Pilot, corridor: Grid, name: str, cause: Cause
) -> None:
    command = fault(driving, corridor, name)
    assert command.status is PilotStatus.STOPPED
    assert command.cause is cause
    assert command.still
    later = driving.step(1.1, HERE, None, scans_of(corridor))
    assert later.status is PilotStatus.DRIVING


def test_a_robot_lost_for_long_has_failed(driving: Pilot, corridor: Grid) -> None:
    scans = scans_of(corridor)
    seen = [driving.step(1.0 + k, None, None, scans) for k in range(13)]
    assert seen[0].status is PilotStatus.STOPPED
    assert seen[-1].status is PilotStatus.FAILED
    assert seen[-1].cause is Cause.LOST
    assert all(command.still for command in seen)


def test_a_cancelled_robot_slows_down_and_is_idle(
    driving: Pilot, corridor: Grid
) -> None:
    driving.cancel()
    scans = scans_of(corridor)
    commands = [driving.step(0.5 + k * 0.025, HERE, None, scans) for k in range(80)]
    assert commands[0].status is PilotStatus.IDLE
    assert commands[0].vx_mps > 0.0
    assert commands[-1].still


def test_a_new_pilot_is_idle_and_still(corridor: Grid) -> None:
    command = Pilot(corridor).step(0.0, HERE, None, scans_of(corridor))
    assert command.status is PilotStatus.IDLE
    assert command.still


def test_a_way_blocked_for_too_long_has_failed() -> None:
    narrow = hall(10.0, 2.0)
    pilot = Pilot(narrow, RobotLimits(), settings=PilotSettings(patience_s=5.0))
    closed = np.array([[6.0, 0.0, 6.0, 2.0]])
    track = Track(narrow, pilot, Pose(2.0, 1.0, 0.0), closed)
    drive = track.drive_to(8.5, 1.0, 0.0)
    assert drive.last.status is PilotStatus.FAILED
    assert drive.last.cause is Cause.BLOCKED_TOO_LONG
    assert drive.to_boxes_m >= 0.2


@pytest.mark.covers("A84")
def test_a_load_makes_the_pilot_gentler(corridor: Grid) -> None:
    speeds = []
    for payload_kg in (0.0, 300.0):
        pilot = Pilot(corridor, RobotLimits(mass_kg=150.0, max_payload_kg=500.0))
        pilot.carry(payload_kg)
        pilot.set_goal(14.0, 2.5, 0.0)
        scans = scans_of(corridor)
        for cycle in range(30):
            command = pilot.step(cycle * 0.025, HERE, None, scans)
        speeds.append(command.vx_mps)
    assert 0.0 < speeds[1] < 0.5 * speeds[0]
    with pytest.raises(PayloadRefused):
        pilot.carry(501.0)


def test_an_unknown_controller_is_refused(corridor: Grid) -> None:
    with pytest.raises(ControlRefused, match="magic"):
        Pilot(
            corridor,
            settings=PilotSettings(controller="magic"),  # type: ignore[arg-type]
        )


def test_the_same_calls_give_the_same_commands(corridor: Grid) -> None:
    runs = []
    for _ in range(2):
        pilot = Pilot(corridor, RobotLimits())
        pilot.set_goal(14.0, 2.5, 1.0)
        runs.append(
            [pilot.step(k * 0.025, HERE, None, scans_of(corridor)) for k in range(30)]
        )
    assert runs[0] == runs[1]
