"""Drives in town, among people, around what no map shows."""

from pathlib import Path

import numpy as np
import pytest

from fleet.bodies.file import load_vehicle
from fleet.bodies.model import Vehicle
from shopfloor.geometry import Pose
from shopfloor.maneuvers.local import local_planner
from shopfloor.maneuvers.scene import Obstacles, gap_then
from shopfloor.streets.drive import Driver, walkers_of
from shopfloor.streets.passability import guide_of
from shopfloor.streets.world import StreetWorld, load_streets
from shopfloor.vehicles.outline import gap_to

WORLDS = Path(__file__).resolve().parents[3] / "worlds"


@pytest.fixture(scope="module")
def town() -> StreetWorld:
    return load_streets(WORLDS / "urban")


@pytest.fixture(scope="module")
def zebrat() -> Vehicle:
    return load_vehicle("zebrat")


def random_goals(
    town: StreetWorld, vehicle: Vehicle, seed: int, count: int
) -> list[Pose]:
    """Poses on the ground that it prefers, with room to stand."""
    draw = np.random.default_rng(seed)
    found: list[Pose] = []
    costs, grid = town.way_costs(vehicle.prefers), town.grid
    truth = Obstacles.of(town.walls)
    while len(found) < count:
        pose = Pose(*draw.uniform((1, 1, -3), (59, 39, 3)))
        x, y = grid.to_cells(pose.x_m, pose.y_m)
        gap = gap_then(
            pose.x_m,
            pose.y_m,
            pose.yaw_rad,
            0.0,
            vehicle.outline,
            truth.walls,
            truth.discs,
            1.0,
        )
        if costs[int(y) - 1, int(x) - 1] == 1.0 and gap > 0.5:
            found.append(pose)
    return found


def driver_in(
    town: StreetWorld, vehicle: Vehicle, planner: str, seed: int, people: int = 6
) -> Driver:
    driver = Driver(
        town,
        vehicle,
        local_planner(planner, vehicle, seed),
        guide_of("hybrid", vehicle, town),
        seed,
        walkers_of(town, seed, people),
    )
    driver.put(town.place("depot"))
    return driver


def all_reached(town: StreetWorld, vehicle: Vehicle, planner: str, seed: int) -> None:
    driver = driver_in(town, vehicle, planner, seed)
    for number, goal in enumerate(random_goals(town, vehicle, seed, 10)):
        drive = driver.drive_to(goal)
        assert drive.reached, f"{planner}, seed {seed}, goal {number}: {drive.why}"
        assert drive.contacts == 0
        assert drive.least_gap_m > 0.0
        assert driver.pose.distance_to(goal) < 0.5


@pytest.mark.covers("Z33", "Z44")
def test_ten_random_goals_in_town_are_reached_without_contact(
    town: StreetWorld, zebrat: Vehicle
) -> None:
    all_reached(town, zebrat, "teb", 18)


@pytest.mark.soak
@pytest.mark.covers("Z33")
@pytest.mark.parametrize("planner", ["dwa", "mppi", "teb"])
@pytest.mark.parametrize("seed", range(5))
def test_any_planner_reaches_its_goals_in_town(
    town: StreetWorld, zebrat: Vehicle, planner: str, seed: int
) -> None:
    all_reached(town, zebrat, planner, seed)


def across_the_bicycle(town: StreetWorld) -> tuple[Pose, Pose]:
    bicycle = next(o.box for o in town.obstacles if o.id == "bicycle")
    up = np.pi / 2
    x, y = bicycle.x_m, bicycle.y_m
    return Pose(x, y - 5.0, up), Pose(x, y + 5.0, up)


def test_what_no_map_shows_is_seen_remembered_and_avoided(
    town: StreetWorld, zebrat: Vehicle
) -> None:
    start, goal = across_the_bicycle(town)
    driver = driver_in(town, zebrat, "teb", 1, people=0)
    driver.put(start)
    drive = driver.drive_to(goal)
    assert drive.passed, drive.why
    seen = driver.seen_m
    bicycle = next(o.box for o in town.obstacles if o.id == "bicycle").segments()
    near = [
        gap_to(x, y, 0.0, np.zeros(3), bicycle, np.empty((0, 3)), 9.0) for x, y in seen
    ]
    assert min(near) < 0.15


@pytest.mark.covers("Z38")
def test_what_only_another_vehicle_saw_is_planned_around_from_the_start(
    town: StreetWorld, zebrat: Vehicle
) -> None:
    start, goal = across_the_bicycle(town)
    bicycle = next(o.box for o in town.obstacles if o.id == "bicycle")
    alone, told = (driver_in(town, zebrat, "teb", 1, people=0) for _ in range(2))
    told.remember(bicycle.corners())
    told.remember(np.array([[bicycle.x_m, bicycle.y_m]]))
    ways = []
    for driver in (alone, told):
        find = guide_of("hybrid", zebrat, town)
        ways.append(find(start, goal, driver.known()))
    walls = bicycle.segments()
    gaps = [
        min(
            gap_to(x, y, yaw, zebrat.outline, walls, np.empty((0, 3)), 9.0)
            for x, y, yaw, _ in way.poses
        )
        for way in ways
    ]
    assert gaps[0] == 0.0
    assert gaps[1] > 0.0


def test_a_goal_inside_a_house_is_refused_before_anything_moves(
    town: StreetWorld, zebrat: Vehicle
) -> None:
    driver = driver_in(town, zebrat, "teb", 1, people=0)
    before = driver.state.copy()
    drive = driver.drive_to(Pose(6.0, 6.0))
    assert not drive.reached
    assert "no way for zebrat" in drive.why
    assert (driver.state == before).all()


def test_a_goal_that_is_no_number_is_refused_and_the_vehicle_stands(
    town: StreetWorld, zebrat: Vehicle
) -> None:
    driver = driver_in(town, zebrat, "teb", 1, people=0)
    drive = driver.drive_to(Pose(float("nan"), 6.0))
    assert not drive.reached
    assert "no numbers" in drive.why
    assert driver.state[0, 3] == 0.0
