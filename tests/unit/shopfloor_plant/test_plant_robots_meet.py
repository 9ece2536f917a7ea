"""Robots that meet: on the right past each other, or one backs out; never for ever."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from shopfloor.geometry import Pose
from shopfloor.pilot import Cause, PilotStatus
from shopfloor.plant import Plant, grid_of
from shopfloor.sim.vehicle import Pose as Place
from shopfloor.sim.world import Anchor, Map, RobotSpec, World

SEED = 3
DONE = (PilotStatus.ARRIVED, PilotStatus.FAILED)
Wall = tuple[float, float, float, float]


def corridor(width_m: float, *, niche: bool = False) -> World:
    """16 m long; the niche is in its upper wall, nearer to the second robot."""
    low, high = 1.0, 1.0 + width_m
    walls: list[Wall] = [
        (0.5, low, 16.0, low),
        (16.0, low, 16.0, high),
        (0.5, high, 0.5, low),
    ]
    if niche:
        walls += [
            (16.0, high, 12.5, high),
            (12.5, high, 12.5, high + 1.6),
            (12.5, high + 1.6, 10.5, high + 1.6),
            (10.5, high + 1.6, 10.5, high),
            (10.5, high, 0.5, high),
        ]
    else:
        walls.append((16.0, high, 0.5, high))
    middle = 0.5 * (low + high)
    places = ((2.0, middle, 0.0), (14.0, middle, math.pi))
    anchors = [(x, y) for x in (0.8, 8.0, 15.7) for y in (low + 0.2, high - 0.2)]
    return World(
        "corridor",
        Map(0.05, 16.5, high + (2.1 if niche else 0.5), tuple(walls)),
        robots=tuple(
            RobotSpec(f"r{i + 1}", Place(*place), kind="holonomic" if i else "diff")
            for i, place in enumerate(places)
        ),
        anchors=tuple(Anchor(f"a{i}", i, x, y) for i, (x, y) in enumerate(anchors)),
    )


def change_places(plant: Plant, limit_s: float = 150.0) -> list[set[Cause | None]]:
    """Each drives to where the other one began; why each of them ever waited."""
    plant.run(1.0)
    starts = [robot.body.pose for robot in plant.robots]
    for robot, goal in zip(plant.robots, reversed(starts), strict=True):
        there = Pose(goal.x_m, goal.y_m, robot.body.pose.yaw_rad)
        assert robot.drive_to(there) is None
    causes: list[set[Cause | None]] = [set() for _ in plant.robots]
    while plant.now_s < limit_s:
        plant.step()
        for robot, seen in zip(plant.robots, causes, strict=True):
            seen.add(robot.command.cause)
        if all(robot.command.status in DONE for robot in plant.robots):
            break
    statuses = [robot.command.status for robot in plant.robots]
    assert statuses == [PilotStatus.ARRIVED] * 2, (statuses, causes)
    assert sum(watch.contacts for watch in plant.watches) == 0
    return causes


@pytest.mark.long
@pytest.mark.parametrize("width_m", [4.0, pytest.param(2.4, marks=pytest.mark.soak)])
def test_two_robots_that_meet_pass_each_other_on_the_right(width_m: float) -> None:
    print(f"seed {SEED}")
    world = corridor(width_m)
    plant = Plant(world, SEED, grid=grid_of(world.map))
    passed: list[float] = []
    plant.run(1.0)
    starts = [robot.body.pose for robot in plant.robots]
    for robot, goal in zip(plant.robots, reversed(starts), strict=True):
        robot.drive_to(Pose(goal.x_m, goal.y_m, robot.body.pose.yaw_rad))
    while plant.now_s < 120.0:
        plant.step()
        first, second = (robot.body.pose for robot in plant.robots)
        if not passed and first.x_m >= second.x_m:
            passed.append(first.y_m - second.y_m)
        if all(robot.command.status in DONE for robot in plant.robots):
            break
    assert [r.command.status for r in plant.robots] == [PilotStatus.ARRIVED] * 2
    # The first drives to the right of the picture: its own right is below.
    assert passed[0] < -0.7
    assert sum(watch.contacts for watch in plant.watches) == 0
    assert min(watch.nearest_robot_m for watch in plant.watches) > 0.1
    assert min(watch.nearest_wall_m for watch in plant.watches) > 0.08
    assert all(robot.body.travelled_m < 15.0 for robot in plant.robots)


@pytest.mark.long
def test_where_two_do_not_fit_the_second_backs_out_into_a_niche() -> None:
    print(f"seed {SEED}")
    world = corridor(1.3, niche=True)
    plant = Plant(world, SEED, grid=grid_of(world.map))
    causes = change_places(plant)
    assert Cause.ROBOT in causes[1]
    assert plant.robots[0].body.travelled_m < plant.robots[1].body.travelled_m
    assert min(watch.nearest_wall_m for watch in plant.watches) > 0.03


def around_a_block() -> World:
    """A straight way of 10 m past a parked robot, and one of 16 m around a block."""

    def rectangle(x1: float, y1: float, x2: float, y2: float) -> list[Wall]:
        corners = [(x1, y1), (x2, y1), (x2, y2), (x1, y2), (x1, y1)]
        return [(*a, *b) for a, b in pairwise(corners)]

    walls = [*rectangle(0.0, 0.0, 12.0, 6.0), *rectangle(1.6, 1.6, 10.4, 4.4)]
    return World(
        "around a block",
        Map(0.05, 12.0, 6.0, tuple(walls)),
        robots=(
            RobotSpec("r1", Place(1.0, 0.8), kind="holonomic"),
            RobotSpec("parked", Place(6.0, 0.8), kind="holonomic"),
        ),
    )


def test_a_parked_robot_in_the_way_is_driven_around_the_long_way() -> None:
    plant = Plant(around_a_block(), SEED)
    robot = plant.robots[0]
    assert robot.drive_to(Pose(11.0, 0.8, 0.0)) is None
    while robot.command.status not in DONE:
        assert plant.now_s < 90.0
        plant.step()
    assert robot.command.status is PilotStatus.ARRIVED
    assert robot.body.travelled_m > 14.0
    assert all(watch.contacts == 0 for watch in plant.watches)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["holonomic", "differential"])
def test_four_robots_that_cannot_pass_ask_and_then_say_that_they_are_blocked(
    kind: str,
) -> None:
    corners = [(0.0, 0.0), (20.0, 0.0), (20.0, 1.6), (0.0, 1.6), (0.0, 0.0)]
    walls: tuple[Wall, ...] = tuple((*a, *b) for a, b in pairwise(corners))
    places = [Pose(x_m, 0.8, 0.0) for x_m in (1.0, 3.0, 17.0, 19.0)]
    robots = tuple(
        RobotSpec(f"r{i}", Place(at.x_m, at.y_m), kind=kind)
        for i, at in enumerate(places)
    )
    world = World("corridor", Map(0.05, 20.0, 1.6, walls), robots=robots)
    plant = Plant(world, SEED)
    for robot, goal in zip(plant.robots, (*places[2:], *places[:2]), strict=True):
        assert robot.drive_to(goal) is None
    asked: set[str] = set()
    while any(robot.command.status not in DONE for robot in plant.robots):
        assert plant.now_s < 150.0
        plant.step()
        asked |= {robot.id for robot in plant.robots if robot.command.asks}
    for robot in plant.robots:
        assert robot.command.cause is Cause.BLOCKED_TOO_LONG
    assert len(asked) == len(places)
    assert all(watch.contacts == 0 for watch in plant.watches)
