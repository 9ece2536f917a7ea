"""Robots that meet: on the right past each other, or one backs out; never for ever."""

from __future__ import annotations

import math

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
