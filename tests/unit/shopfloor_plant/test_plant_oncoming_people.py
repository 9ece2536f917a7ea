"""Somebody walks straight at the robot in a corridor, and gives way to nobody."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.local.people import Courtesy
from shopfloor.pilot import PilotStatus
from shopfloor.pilot.keeping_right import KeepingRight
from shopfloor.plant import Plant, Walker
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import Anchor, Map, RobotSpec, World

LENGTH_M, WIDTH_M, MIDDLE_M = 20.0, 4.0, 2.0
PERSON_M = 0.25
ENDS = ((0.0, 0.0), (LENGTH_M, 0.0), (LENGTH_M, WIDTH_M), (0.0, WIDTH_M))
WALLS = tuple((*a, *b) for a, b in zip(ENDS, (*ENDS[1:], ENDS[0]), strict=True))
ANCHORS = tuple(Anchor(f"a{i}", i, *end, 2.4) for i, end in enumerate(ENDS))
GOAL = Pose(18.0, MIDDLE_M, 0.0)


class Stubborn(Walker):
    """Straight on, until they stand against the robot."""

    walks_mps = 1.0

    def step(
        self,
        now_s: float,
        dt_s: float,
        floor: Grid,
        robots: Sequence[tuple[Pose, float]],
    ) -> None:
        pose, radius = robots[0]
        x_m = self.x_m - self.walks_mps * dt_s
        away_m = math.hypot(x_m - pose.x_m, self.y_m - pose.y_m)
        stands = x_m < 0.4 or away_m < radius + PERSON_M - 0.02
        self.vx_mps = 0.0 if stands else -self.walks_mps
        self.x_m = self.x_m if stands else x_m


@pytest.mark.parametrize(
    ("drive", "tag", "walks_mps", "left_m"),
    [
        ("holonomic", True, 1.0, 0.0),
        ("holonomic", False, 1.3, 0.3),
        ("differential", False, 0.6, 0.0),
    ],
)
def test_who_walks_straight_at_a_robot_is_passed_on_the_right(
    drive: str, tag: bool, walks_mps: float, left_m: float
) -> None:
    spec = RobotSpec("r1", Place(2.0, MIDDLE_M), kind=drive)
    corridor = Map(0.05, LENGTH_M, WIDTH_M, WALLS)
    world = World("corridor", corridor, robots=(spec,), anchors=ANCHORS)
    plant = Plant(world, 3, localisation="known")
    robot = plant.robots[0]
    person = Stubborn("anna", 17.0, MIDDLE_M + left_m, np.random.default_rng(1))
    person.walks_mps = walks_mps
    plant.add_walker(person)
    if not tag:
        plant.tags.silent = {"anna"}
    plant.run(0.5)
    assert robot.drive_to(GOAL) is None
    nearest_m, right_m = math.inf, 0.0
    while robot.command.status is not PilotStatus.ARRIVED:
        assert plant.now_s < 60.0
        plant.step()
        pose = robot.body.pose
        gap_m = math.hypot(person.x_m - pose.x_m, person.y_m - pose.y_m)
        if gap_m < nearest_m:
            nearest_m, right_m = gap_m, person.y_m - pose.y_m
    assert nearest_m - robot.hull.radius_m - PERSON_M > 0.5
    assert right_m > 0.5
    assert plant.watches[0].contacts == 0


STRAIGHT = np.array([[1.0, MIDDLE_M], [18.0, MIDDLE_M]])
HERE = Pose(2.0, MIDDLE_M)


def beside(
    person: TagSeen, path: np.ndarray = STRAIGHT, wall_m: float = 0.0
) -> np.ndarray | None:
    """The way at its farthest aside; with a wall on the robot's right."""
    cells = np.zeros((80, 400), np.bool_)
    cells[[0, -1]], cells[:, [0, -1]] = True, True
    cells[: round(wall_m / 0.05)] = True
    right = KeepingRight(Grid.of(cells, 0.05), 0.3, Courtesy())
    return right.way(HERE, [person], path, 1.0, 0.8)


def coming(y_m: float = MIDDLE_M, vx: float = -1.0, vy: float = 0.0) -> TagSeen:
    return TagSeen("anna", 9.0, y_m, 0.1, vx, vy)


def test_a_way_is_moved_to_the_right_and_comes_back_behind_the_meeting() -> None:
    way = beside(coming())
    assert way is not None
    assert way[0].tolist() == [HERE.x_m, HERE.y_m]
    assert way[:, 1].min() == pytest.approx(0.7, abs=0.05)
    assert way[-1].tolist() == STRAIGHT[-1].tolist()
    assert np.hypot(*np.diff(way[:-1], axis=0).T).max() < 0.5


def test_where_there_is_no_room_on_the_right_it_is_moved_to_the_left() -> None:
    way = beside(coming(), wall_m=1.2)
    assert way is not None
    assert way[:, 1].max() > MIDDLE_M + 1.0


@pytest.mark.parametrize(
    "person",
    [
        coming(vx=0.0),
        coming(vx=1.0),
        coming(vx=-0.5, vy=0.8),
        coming(y_m=3.6),
        TagSeen("anna", 17.0, MIDDLE_M, 0.1, -0.5, 0.0),
    ],
    ids=["stands", "walks away", "crosses", "passes anyway", "far away"],
)
def test_for_others_the_way_stays_as_it_is(person: TagSeen) -> None:
    assert beside(person) is None
