"""Local planners bring a vehicle around what stands there, and stop for nonsense."""

import math

import numpy as np
import pytest

from fleet.bodies.file import load_vehicle
from fleet.bodies.model import Vehicle
from shopfloor.geometry import Pose
from shopfloor.maneuvers.grid_way import grid_way
from shopfloor.maneuvers.local import PLANNERS, local_planner
from shopfloor.maneuvers.scene import Command, DrivingState, Obstacles, Way
from shopfloor.streets.alley import Alley, alley_world, unseen_alley
from shopfloor.streets.drive import Driver
from shopfloor.vehicles.errors import GoalUnreachable, PlannerUnknown, SceneWrong

ROWS = {"dwa": "Z31", "mppi": "Z34", "teb": "Z32"}
CLAIMED = [
    pytest.param(name, marks=pytest.mark.covers(ROWS[name])) for name in PLANNERS
]


@pytest.fixture(scope="module")
def zebrat() -> Vehicle:
    return load_vehicle("zebrat")


def straight(length_m: float, direction: float = 1.0) -> Way:
    at = np.arange(0.0, length_m + 0.05, 0.1)
    poses = np.zeros((len(at), 4))
    poses[:, 0], poses[:, 3] = direction * at, direction
    return Way(poses)


@pytest.mark.parametrize("name", CLAIMED)
def test_the_goal_is_reached_around_the_corners_of_an_alley(
    zebrat: Vehicle, name: str
) -> None:
    world = alley_world(Alley(1.6, shortcut_m=0.0))
    driver = Driver(
        world,
        zebrat,
        local_planner(name, zebrat, seed=1),
        lambda here, there, seen: grid_way(zebrat, world.grid, here, there, seen),
    )
    driver.put(world.place("start"))
    drive = driver.drive_to(world.place("goal"), most_s=90.0)
    assert drive.passed, drive.why
    assert drive.least_gap_m > 0.0
    assert drive.length_m > 18.0
    steps = np.diff(drive.states[:, :3], axis=0)
    moved = np.hypot(steps[:, 0], steps[:, 1])
    # Two arcs lie in a step; each turns no more than full lock allows.
    turned = np.abs(np.vectorize(math.remainder)(steps[:, 2], math.tau))
    assert (turned <= moved / zebrat.turning_radius_m * 1.05 + 1e-6).all()


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize(("direction", "aside_m"), [(1.0, 0.35), (-1.0, 0.45)])
def test_a_leg_is_driven_in_its_direction_around_what_stands_there(
    zebrat: Vehicle, name: str, direction: float, aside_m: float
) -> None:
    planner = local_planner(name, zebrat, seed=1)
    planner.follow(straight(5.0, direction))
    world = alley_world()
    box = np.array([[direction * 2.5, aside_m, 0.15]])
    obstacles = Obstacles.of(discs=box)
    driver = Driver(world, zebrat, planner, lambda *_: straight(5.0, direction))
    driver.put(Pose(0.0, 0.0))
    least = math.inf
    for _ in range(150):
        state = DrivingState(driver.pose, *(float(v) for v in driver.state[0, 3:]))
        if planner.arrived(state, 0.3):
            break
        driver.step(planner.command(state, obstacles))
        at = driver.pose
        least = min(least, planner.gap_m((at.x_m, at.y_m, at.yaw_rad), obstacles))
    assert driver.pose.distance_to(Pose(direction * 5.0, 0.0)) < 0.4
    assert least > 0.0


@pytest.mark.parametrize("name", PLANNERS)
def test_the_vehicle_stops_before_a_wall_across_its_way(
    zebrat: Vehicle, name: str
) -> None:
    planner = local_planner(name, zebrat, seed=1)
    planner.follow(straight(6.0))
    wall = Obstacles.of(walls=np.array([[3.0, -40.0, 3.0, 40.0]]))
    driver = Driver(alley_world(), zebrat, planner, lambda *_: straight(6.0))
    driver.put(Pose(0.0, 0.0))
    driver.state[0, 3] = 1.2
    for _ in range(80):
        state = DrivingState(driver.pose, *(float(v) for v in driver.state[0, 3:]))
        driver.step(planner.command(state, wall))
        at = driver.pose
        assert planner.gap_m((at.x_m, at.y_m, at.yaw_rad), wall) > 0.0


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize(
    "state",
    [
        DrivingState(Pose(math.nan, 0.0)),
        DrivingState(Pose(0.0, 0.0, math.inf)),
        DrivingState(Pose(0.0, 0.0), math.nan),
        DrivingState(Pose(0.0, 0.0), 0.0, math.nan),
    ],
)
def test_a_state_that_is_no_number_is_a_named_error(
    zebrat: Vehicle, name: str, state: DrivingState
) -> None:
    planner = local_planner(name, zebrat)
    planner.follow(straight(3.0))
    with pytest.raises(SceneWrong, match="no state of a vehicle"):
        planner.command(state, Obstacles.of())


@pytest.mark.parametrize("name", PLANNERS)
def test_without_a_way_the_vehicle_stands(zebrat: Vehicle, name: str) -> None:
    planner = local_planner(name, zebrat)
    state = DrivingState(Pose(0.0, 0.0), 0.0, 0.1)
    assert planner.command(state, Obstacles.of()) == Command(0.0, 0.1)


def test_obstacles_and_ways_that_are_no_numbers_are_named_errors() -> None:
    with pytest.raises(SceneWrong, match="wall 2 of 2"):
        Obstacles.of(walls=np.array([[0.0, 0, 1, 1], [0, math.nan, 1, 1]]))
    with pytest.raises(SceneWrong, match="obstacle 1 of 1"):
        Obstacles.of(points=np.array([[0.0, math.inf]]))
    with pytest.raises(SceneWrong, match="radius below 0"):
        Obstacles.of(discs=np.array([[0.0, 0.0, -1.0]]))
    with pytest.raises(SceneWrong, match="pose of the way"):
        Way(np.array([[0.0, 0, 0, 1], [math.nan, 0, 0, 1]]))
    with pytest.raises(SceneWrong, match="two poses"):
        Way(np.zeros((1, 4)))


@pytest.mark.covers("Z44")
def test_a_driver_whose_planner_fails_stands_still_and_says_why(
    zebrat: Vehicle,
) -> None:
    world = alley_world(Alley(1.6, shortcut_m=0.0))
    planner = local_planner("dwa", zebrat)
    driver = Driver(
        world,
        zebrat,
        planner,
        lambda here, there, seen: grid_way(zebrat, world.grid, here, there, seen),
    )
    driver.put(world.place("start"))

    def break_it(now_s: float, driver: Driver) -> None:
        if now_s > 3.0:
            planner.numbers[0] = math.nan
            driver.state[0, 4] = math.nan

    driver.on_step = break_it
    drive = driver.drive_to(world.place("goal"), most_s=20.0)
    assert not drive.reached
    assert "no state of a vehicle" in drive.why
    assert driver.state[0, 3] == 0.0


def test_an_unknown_planner_lists_those_there_are(zebrat: Vehicle) -> None:
    with pytest.raises(PlannerUnknown, match="there are dwa, mppi, teb"):
        local_planner("rrt", zebrat)


def test_a_goal_that_no_way_leads_to_is_a_named_error(zebrat: Vehicle) -> None:
    world = alley_world(Alley(0.6, shortcut_m=0.0))
    with pytest.raises(GoalUnreachable, match="no way for zebrat"):
        grid_way(zebrat, world.grid, world.place("start"), world.place("goal"))
    with pytest.raises(GoalUnreachable, match="does not fit at the goal"):
        grid_way(zebrat, world.grid, world.place("start"), Pose(8.0, 1.0))
    with pytest.raises(SceneWrong, match="no numbers"):
        grid_way(zebrat, world.grid, world.place("start"), Pose(math.nan, 1.0))


def test_the_alley_of_a_seed_is_always_the_same_and_can_be_built() -> None:
    for seed in range(200):
        assert unseen_alley(seed) == unseen_alley(seed)
        assert len(unseen_alley(seed).walls()) > 8
    assert len({unseen_alley(seed).width_m for seed in range(50)}) == 50
