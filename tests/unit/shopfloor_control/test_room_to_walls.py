"""Room beside the hull: kept by the lasers, whatever path, controller or escape."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shopfloor.control import RobotLimits, Surroundings
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.lasers import box_segments, front_and_rear, simulate_scan
from shopfloor.pilot import Pilot, PilotStatus
from tests.support.driving import DRIVES, DriveKind, Track

SEED = 20
KEEP_M = 0.10


def beside_a_wall(grid: Grid, gap_m: float) -> Surroundings:
    """The wall is on the robot's right."""
    pose = Pose(8.0, 0.1 + 0.3 + gap_m, 0.0)
    around = Surroundings(grid, 0.3)
    random = np.random.default_rng(SEED)
    lasers = front_and_rear(ahead_m=0.24, beams=271)
    around.look(pose, [simulate_scan(grid, pose, laser, random) for laser in lasers])
    return around


@pytest.mark.parametrize("slide", [True, False])
def test_no_velocity_towards_a_wall_is_left_where_the_room_is_used_up(
    corridor: Grid, slide: bool
) -> None:
    around = beside_a_wall(corridor, KEEP_M - 0.02)
    for angle in np.linspace(-math.pi, 0.0, 9):
        vx, vy = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
        _, towards = around.kept_off(vx, vy, KEEP_M, 0.5, 0.075, slide=slide)
        assert towards >= -0.02
    leaving = around.kept_off(0.0, 0.5, KEEP_M, 0.5, 0.075, slide=slide)
    assert leaving == (0.0, 0.5)


def test_far_from_everything_no_velocity_changes(corridor: Grid) -> None:
    around = beside_a_wall(corridor, 2.0)
    assert around.kept_off(0.8, -0.1, KEEP_M, 0.5, 0.075, slide=True) == (0.8, -0.1)


@pytest.mark.covers("A31")
@pytest.mark.parametrize("drive_kind", DRIVES)
def test_between_a_box_and_a_wall_the_hull_keeps_away_from_both(
    corridor: Grid, drive_kind: DriveKind
) -> None:
    # 1.05 m are left between the box and the upper wall, less on the other side.
    box = box_segments(8.0, 2.2, 0.6, 3.2)
    pilot = Pilot(corridor, RobotLimits(drive=drive_kind))
    track = Track(corridor, pilot, Pose(2.0, 2.5, 0.0), box)
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    assert drive.walls_m >= 0.08
    assert drive.to_boxes_m >= 0.15


@pytest.mark.parametrize("drive_kind", DRIVES)
def test_even_an_escape_leaves_room_to_the_wall(
    corridor: Grid, drive_kind: DriveKind
) -> None:
    # Put down beside the robot, which stands 0.16 m from the wall behind its back.
    box = box_segments(4.0, 1.28, 0.5, 0.5)
    pilot = Pilot(corridor, RobotLimits(drive=drive_kind))
    track = Track(corridor, pilot, Pose(4.0, 0.1 + 0.3 + 0.16, math.pi / 2), box)
    drive = track.drive_to(12.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    assert drive.walls_m >= 0.03
    assert drive.to_boxes_m >= 0.05
