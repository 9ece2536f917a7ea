"""People without a tag: told from boxes because they move, then treated as people."""

from __future__ import annotations

import numpy as np
import pytest

from shopfloor.control import RobotLimits
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.lasers import box_segments
from shopfloor.pilot import Cause, Pilot, PilotStatus
from tests.support.driving import Track, Walker

START = Pose(2.0, 2.5, 0.0)


@pytest.mark.long
@pytest.mark.covers("A45", "A70")
def test_somebody_without_a_tag_who_walks_up_is_a_person_to_the_robot(
    corridor: Grid,
) -> None:
    walker = Walker([(10.0, 2.5), (3.0, 2.5)], speed_mps=0.8, polite_m=0.5)
    pilot = Pilot(corridor, RobotLimits())
    track = Track(corridor, pilot, START, walkers=[walker], tagged=False, beams=271)
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    waited = [c for c in drive.commands if c.cause is Cause.PERSON]
    assert len(waited) > 5
    assert drive.to_people_m - 0.2 >= 0.2


@pytest.mark.long
@pytest.mark.parametrize("y_m", [2.5, 1.9])
def test_a_box_is_never_taken_for_a_person(corridor: Grid, y_m: float) -> None:
    boxes = np.vstack(
        [
            box_segments(6.0, y_m, 0.5, 0.5, 0.4),
            box_segments(9.5, 5.0 - y_m - 0.4, 0.6, 0.4, 1.0),
        ]
    )
    pilot = Pilot(corridor, RobotLimits(drive="holonomic"))
    track = Track(corridor, pilot, START, boxes, beams=271)
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    assert all(command.cause is not Cause.PERSON for command in drive.commands)
    assert drive.to_boxes_m >= 0.2


@pytest.mark.long
def test_who_stands_still_for_long_is_driven_around_like_a_thing(
    corridor: Grid,
) -> None:
    walker = Walker([(9.0, 2.5), (6.0, 2.5)], speed_mps=0.8, polite_m=0.3)
    pilot = Pilot(corridor, RobotLimits())
    track = Track(corridor, pilot, START, walkers=[walker], tagged=False, beams=271)
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    assert drive.to_people_m - 0.2 >= 0.2
