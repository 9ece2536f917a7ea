"""The whole mission in the factory: boxes nobody knows of, people, no contact."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shopfloor.control import RobotLimits
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.lasers import box_segments
from shopfloor.pilot import Pilot, PilotStatus
from tests.support.driving import Drive, DriveKind, Track, Walker

PLACES = {
    "A": (6.5, 3.6, math.pi / 2),
    "B": (16.7, 8.3, 0.0),
    "C": (15.3, 14.2, math.pi),
    "tank": (16.0, 2.6, -math.pi / 4),
    "home": (2.2, 1.8, 0.0),
}
MISSION = ("A", "tank", "B", "tank", "C", "tank", "home")
BOXES = np.vstack(
    [
        box_segments(10.5, 2.9, 0.6, 0.6),
        box_segments(15.9, 11.3, 0.8, 0.5, 0.4),
        box_segments(16.4, 5.6, 0.4, 0.4, 0.8),
    ]
)


def drive_through(
    grid: Grid, drive_kind: DriveKind, *stops: str
) -> tuple[Track, Drive]:
    """From home to one place after another, and never near to anything."""
    pilot = Pilot(grid, RobotLimits(speed_mps=1.0, drive=drive_kind))
    crossing = Walker([(12.0, 4.3), (12.0, 1.7)] * 4, speed_mps=0.7)
    coming = Walker([(15.6, 16.5), (15.8, 4.2), (14.6, 17.0)], speed_mps=0.5)
    track = Track(
        grid, pilot, Pose(*PLACES["home"]), BOXES, [crossing, coming], beams=181
    )
    whole = Drive()
    for name in stops:
        drive = track.drive_to(*PLACES[name], limit_s=200.0)
        assert drive.last.status is PilotStatus.ARRIVED, (name, drive.last)
        assert track.floor.pose.distance_to(Pose(*PLACES[name])) <= 0.13
        turn = track.floor.pose.yaw_rad - PLACES[name][2]
        assert abs(math.remainder(turn, math.tau)) <= 0.07
        whole.merged(drive)
    print(
        f"{drive_kind}: {track.floor.travelled_m:.1f} m in {track.floor.now_s:.0f} s, "
        f"boxes {whole.to_boxes_m:.2f} m, people {whole.to_people_m:.2f} m, "
        f"approached {whole.approached_to_m:.2f} m, walls {whole.walls_m:.2f} m"
    )
    assert whole.walls_m > 0.0
    assert whole.to_boxes_m >= 0.15
    assert whole.approached_to_m >= 0.8
    assert whole.to_people_m >= 0.2
    return track, whole


@pytest.mark.long
@pytest.mark.covers("A69", "A70")
def test_the_tank_is_reached_past_a_box_and_people_without_contact(
    factory: Grid,
) -> None:
    _, drive = drive_through(factory, "differential", "tank")
    assert drive.to_boxes_m < 1.0, "the box was not met"
    assert drive.to_people_m < 1.5, "nobody was met"


@pytest.mark.soak
@pytest.mark.covers("A69", "A70")
@pytest.mark.parametrize("drive_kind", ["differential", "holonomic"])
def test_the_mission_succeeds_among_boxes_and_people_without_contact(
    factory: Grid, drive_kind: DriveKind
) -> None:
    track, _ = drive_through(factory, drive_kind, *MISSION)
    assert track.floor.travelled_m == pytest.approx(62.7, rel=0.10)
