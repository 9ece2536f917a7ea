"""Jumps of the estimated pose need support; doubt never ends in an arrival."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from shopfloor.geometry import Odometry, Pose, Scan, TagSeen
from shopfloor.grid import Grid
from shopfloor.lasers import front_and_rear, simulate_scan
from shopfloor.localisation import LOST, TRACKING, Estimate, SupportedPose
from shopfloor.localisation.jumps import CONTRADICTED_SHARE, share_through_walls
from shopfloor.pilot import PilotStatus
from shopfloor.plant import Box, Plant
from shopfloor.sim.world_file import load_world

ROOT = Path(__file__).resolve().parents[3]
TRUTH = Pose(5.0, 2.2, 0.0)
WRONG = Pose(9.4, 2.2, 0.0)
TAG_SIGMA_M = 0.1


def scans_at(grid: Grid, pose: Pose, wall_m: float | None = None) -> list[Scan]:
    """What lasers see there, perhaps with a wall that no map knows ahead."""
    segments = np.empty((0, 4))
    if wall_m is not None:
        x_m = pose.x_m + wall_m
        segments = np.array([[x_m, pose.y_m - 3.0, x_m, pose.y_m + 3.0]])
    random, nobody = np.random.default_rng(7), np.empty((0, 3))
    return [
        simulate_scan(grid, pose, laser, random, segments, nobody)
        for laser in front_and_rear(ahead_m=0.25, beams=181)
    ]


class Told:
    """A localiser that says what the test wants."""

    def __init__(self, poses: Iterator[Pose]) -> None:
        self._poses = poses
        self.set_to: list[Pose] = []

    def update(
        self, at_s: float, odometry: Odometry, scans: Sequence[Scan]
    ) -> Estimate:
        return Estimate(next(self._poses), np.zeros((3, 3)), TRACKING, 1.0)

    def set_pose(self, pose: Pose) -> None:
        self.set_to.append(pose)


def updates(
    supported: SupportedPose, scans: list[Scan], count: int, wheels: float = 0.0
) -> list[Estimate]:
    """So many updates, in each of which the wheels go on by some metres."""
    return [
        supported.update(0.1 * i, Odometry(Pose(wheels * i, 0.0)), scans)
        for i in range(count)
    ]


def jumping(after: int = 1) -> Iterator[Pose]:
    for _ in range(after):
        yield TRUTH
    while True:
        yield WRONG


def test_things_that_no_map_knows_contradict_no_place(corridors: Grid) -> None:
    hidden = scans_at(corridors, TRUTH, wall_m=1.2)
    assert share_through_walls(corridors, TRUTH, hidden) == 0.0
    assert share_through_walls(corridors, TRUTH, scans_at(corridors, TRUTH)) < 0.02


def test_beams_through_walls_contradict_the_place_of_a_carried_robot(
    corridors: Grid,
) -> None:
    elsewhere = scans_at(corridors, Pose(17.8, 8.0, 0.5 * math.pi))
    assert share_through_walls(corridors, TRUTH, elsewhere) > CONTRADICTED_SHARE


def test_a_jump_that_nothing_supports_is_no_place(corridors: Grid) -> None:
    supported = SupportedPose(corridors, Told(jumping()), TRUTH)
    said = updates(supported, scans_at(corridors, TRUTH, wall_m=1.2), 12)
    assert [one.status for one in said] == [TRACKING, *[LOST] * 11]


def test_a_jump_is_believed_once_beams_have_contradicted_the_old_place_for_a_while(
    corridors: Grid,
) -> None:
    there = Pose(17.8, 8.0, 0.5 * math.pi)
    poses = iter([TRUTH, *[there] * 20])
    supported = SupportedPose(corridors, Told(poses), TRUTH)
    said = updates(supported, scans_at(corridors, there), 10)
    names = [one.status for one in said]
    assert names[:5] == [TRACKING, LOST, LOST, LOST, LOST]
    assert names[-1] == TRACKING
    assert said[-1].pose == there


def test_the_tag_of_the_robot_supports_the_place_that_it_is_at(corridors: Grid) -> None:
    told = Told(jumping())
    supported = SupportedPose(corridors, told, TRUTH)
    tag = TagSeen("r1", TRUTH.x_m, TRUTH.y_m, TAG_SIGMA_M, 0.0, 0.0)
    supported.ask_tag = lambda: tag
    # The corridor looks the same four metres on, but for its ends.
    said = updates(supported, scans_at(corridors, WRONG), 12)
    assert TRUTH in told.set_to
    assert {one.status for one in said[1:]} == {LOST}


def test_a_place_that_fits_again_is_taken_back(corridors: Grid) -> None:
    told = Told(iter([TRUTH, WRONG, WRONG, TRUTH, TRUTH]))
    supported = SupportedPose(corridors, told, TRUTH)
    clear = scans_at(corridors, TRUTH)
    said = updates(supported, clear, 5)
    assert told.set_to[0] == TRUTH
    assert said[-1].status == TRACKING


@pytest.mark.long
@pytest.mark.parametrize("when_s", [6.0, 9.0])
def test_a_door_that_closes_before_a_robot_never_moves_it_to_another_room(
    when_s: float,
) -> None:
    world = load_world(ROOT / "worlds" / "arco_lab" / "world.yaml")
    plant = Plant(world, 103)
    robot = plant.robots[0]
    plant.run(1.5)
    place = world.places["B"]
    assert robot.drive_to(Pose(place.x_m, place.y_m, place.yaw_rad)) is None
    plant.run(when_s)
    here, ahead_m = robot.body.pose, 0.8 + robot.hull.radius_m
    x_m = here.x_m + ahead_m * math.cos(here.yaw_rad)
    y_m = here.y_m + ahead_m * math.sin(here.yaw_rad)
    plant.put_boxes([Box(x_m, y_m, 0.04, 4.0, here.yaw_rad)])
    for _ in range(800):
        plant.step()
        if robot.believed is not None:
            assert robot.believed.distance_to(robot.body.pose) < 0.3
        assert robot.command.status is not PilotStatus.ARRIVED
    assert plant.watches[0].contacts == 0
