"""Simulated robots go around what stands in their way, or say why they cannot."""

import math
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.routes import Routes
from shopfloor.sim.sensors import occupancy
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import NoWay, Pose
from shopfloor.sim.walls import distance_m, gap_m
from shopfloor.sim.world import Map, RobotSpec, World
from shopfloor.sim.world_file import load_world
from tests.support.rosbridge import LocalClient

WORLDS = Path(__file__).resolve().parents[3] / "worlds"
RADIUS_M = 0.3
ABORTED, SUCCEEDED = 4, 3
PLAN = "/robot1/move_base/NavfnROS/plan"


def box(left: float, low: float, right: float, high: float) -> list[Any]:
    return [
        (left, low, right, low),
        (right, low, right, high),
        (right, high, left, high),
        (left, high, left, low),
    ]


def hall(*boxes: tuple[float, float, float, float]) -> Map:
    walls = box(0.5, 0.5, 19.5, 9.5)
    for each in boxes:
        walls += box(*each)
    return Map(0.05, 20.0, 10.0, tuple(walls))


RACK = (6.0, 2.0, 14.0, 4.0)


def routes_over(plan: Map) -> Routes:
    return Routes(plan, occupancy(plan)[2])


def way(plan: Map, start: Pose, goal: Pose) -> list[Pose]:
    return [start, *routes_over(plan).bends(start, goal, RADIUS_M), goal]


def length_m(poses: list[Pose]) -> float:
    return math.fsum(one.distance_to(other) for one, other in pairwise(poses))


def room_beside(poses: list[Pose], plan: Map) -> float:
    legs = [(a.x_m, a.y_m, b.x_m, b.y_m) for a, b in pairwise(poses)]
    return min(gap_m(leg, wall) for leg in legs for wall in plan.walls)


def client_in(plan: Map, home: Pose, **spec: Any) -> LocalClient:
    """A client of one robot that starts somewhere on a map."""
    clock = ManualClock()
    robot = RobotSpec("robot1", home=home, tag=1, **spec)
    world = World("routes", plan, {"home": home}, (robot,))
    return LocalClient(Simulation(world, clock=clock), clock)


@pytest.mark.long
@pytest.mark.parametrize("name", ["paint_factory", "arco_lab"])
def test_every_place_of_a_shipped_world_is_reached_from_every_other(name: str) -> None:
    world = load_world(WORLDS / name)
    routes = routes_over(world.map)
    for start, goal in permutations(world.places.values(), 2):
        poses = [start, *routes.bends(start, goal, RADIUS_M), goal]
        assert room_beside(poses, world.map) >= RADIUS_M, (start, goal)


def test_a_free_line_is_driven_straight_and_a_rack_is_gone_around() -> None:
    plan = hall(RACK)
    assert way(plan, Pose(2.0, 6.0), Pose(18.0, 6.0))[1:-1] == []
    around = way(plan, Pose(2.0, 3.0), Pose(18.0, 3.0))
    assert len(around) == 4
    # Below the rack, as close to it as the radius and the spare room allow.
    shortest_m = 2 * math.hypot(3.65, 1.35) + 8.7
    assert shortest_m - 0.1 <= length_m(around) <= shortest_m + 0.3
    assert room_beside(around, plan) >= RADIUS_M
    assert way(plan, Pose(2.0, 3.0), Pose(18.0, 3.0)) == around


def test_bends_look_along_the_way() -> None:
    poses = way(hall(RACK), Pose(2.0, 3.0), Pose(18.0, 3.0))
    for bend, following in pairwise(poses[1:]):
        assert bend.yaw_rad == pytest.approx(bend.bearing_to(following))


def test_a_slanted_gap_that_is_just_wide_enough_is_used() -> None:
    """Between two diagonal walls, where square safety margins would meet."""
    walls = [
        *box(0.5, 0.5, 19.5, 9.5),
        (4.0, 0.5, 9.0, 5.5),
        (10.2, 4.4, 15.1, 9.5),
        (9.0, 5.5, 5.0, 9.5),
        (10.2, 4.4, 14.1, 0.5),
    ]
    plan = Map(0.05, 20.0, 10.0, tuple(walls))
    through = way(plan, Pose(9.0, 1.5), Pose(9.5, 8.5))
    assert room_beside(through, plan) >= RADIUS_M


@pytest.mark.parametrize(
    ("start", "goal", "cause"),
    [
        (Pose(2.0, 2.0), Pose(21.0, 2.0), "goal_outside"),
        (Pose(2.0, 2.0), Pose(6.0, 3.0), "goal_blocked"),
        (Pose(2.0, 2.0), Pose(5.8, 3.0), "goal_blocked"),
        (Pose(2.0, 2.0), Pose(10.0, 3.0), "unreachable"),
        (Pose(6.0, 3.0), Pose(2.0, 2.0), "start_blocked"),
        (Pose(-3.0, 3.0), Pose(2.0, 2.0), "start_outside"),
    ],
)
def test_where_there_is_no_way_the_cause_is_named(
    start: Pose, goal: Pose, cause: str
) -> None:
    with pytest.raises(NoWay, match=f"^{cause}$"):
        routes_over(hall(RACK)).bends(start, goal, RADIUS_M)


def test_a_robot_too_close_to_a_rack_gets_away_from_it_first() -> None:
    poses = way(hall(RACK), Pose(5.8, 3.0), Pose(18.0, 3.0))
    assert poses[1].x_m < 5.8
    assert room_beside(poses[1:], hall(RACK)) >= RADIUS_M


@pytest.mark.covers("A20")
def test_no_robot_drives_through_a_rack_and_the_way_is_as_long_as_said() -> None:
    plan = hall(RACK)
    client = client_in(plan, Pose(2.0, 3.0))
    client.watch("/robot1/Make_Plan")
    client.watch()
    client.subscribe(PLAN)
    client.goal("g1", 18.0, 3.0, action="/robot1/Make_Plan")
    client.advance(0.5)
    shown = [
        Pose(each["pose"]["position"]["x"], each["pose"]["position"]["y"])
        for each in client.messages(PLAN)[-1]["poses"]
    ]
    assert len(shown) == 4
    feedback = client.messages("/robot1/Make_Plan/feedback")[0]["feedback"]
    assert feedback["distance_to_goal"]["data"] == pytest.approx(length_m(shown))
    vehicle = client.simulation.robots["robot1"].vehicle
    for _ in range(1200):
        client.advance(0.05)
        at = vehicle.pose
        nearest_m = min(distance_m(at.x_m, at.y_m, wall) for wall in plan.walls)
        assert nearest_m >= RADIUS_M, at
    assert client.results("/robot1/Make_Plan") == [("g1", SUCCEEDED)]
    assert vehicle.pose.distance_to(Pose(18.0, 3.0)) < 0.01
    assert vehicle.odometer_m == pytest.approx(length_m(shown), rel=0.02)


@pytest.mark.parametrize(
    ("x_m", "y_m", "cause"),
    [(6.0, 3.0, "goal_blocked"), (10.0, 3.0, "unreachable"), (30, 3, "goal_outside")],
)
def test_a_goal_without_a_way_is_aborted_with_its_cause_and_the_robot_stands(
    x_m: float, y_m: float, cause: str
) -> None:
    client = client_in(hall(RACK), Pose(2.0, 3.0))
    client.watch()
    client.goal("bad", x_m, y_m)
    client.advance(1.0)
    assert client.results() == [("bad", ABORTED)]
    [message] = client.messages("/robot1/move_base/result")
    assert message["status"]["text"] == f"Failed to find a valid plan: {cause}"
    assert client.simulation.robots["robot1"].vehicle.pose == Pose(2.0, 3.0)
    client.goal("good", 2.0, 5.0)
    client.advance(15.0)
    assert ("good", SUCCEEDED) in client.results()


def test_a_new_goal_on_the_way_is_reached_without_touching_anything() -> None:
    plan = hall(RACK)
    client = client_in(plan, Pose(2.0, 6.0))
    client.watch()
    client.goal("first", 18.0, 1.2)
    client.advance(9.0)
    vehicle = client.simulation.robots["robot1"].vehicle
    assert vehicle.speed_mps > 0.5
    client.goal("second", 5.0, 3.0)
    for _ in range(1000):
        client.advance(0.05)
        at = vehicle.pose
        nearest_m = min(distance_m(at.x_m, at.y_m, wall) for wall in plan.walls)
        assert nearest_m >= RADIUS_M, at
    assert client.results()[-1] == ("second", SUCCEEDED)


def test_a_robot_that_was_moved_goes_around_from_there() -> None:
    plan = hall(RACK)
    client = client_in(plan, Pose(10.0, 8.0))
    client.watch()
    client.goal("g1", 10.0, 5.0)
    client.advance(2.0)
    client.simulation.fault("pose_jump robot1 0 -6.8")
    vehicle = client.simulation.robots["robot1"].vehicle
    assert vehicle.bends
    for _ in range(1200):
        client.advance(0.05)
        at = vehicle.pose
        assert min(distance_m(at.x_m, at.y_m, wall) for wall in plan.walls) > 0.2
    assert client.results() == [("g1", SUCCEEDED)]


def test_a_robot_that_was_moved_into_a_rack_gives_up() -> None:
    client = client_in(hall(RACK), Pose(10.0, 8.0))
    client.watch()
    client.goal("g1", 10.0, 5.0)
    client.advance(0.5)
    client.simulation.fault("pose_jump robot1 0 -5")
    client.advance(0.2)
    assert client.results() == [("g1", ABORTED)]


@pytest.mark.parametrize("name", ["paint_factory", "arco_lab"])
def test_more_robots_stand_where_there_is_room(name: str) -> None:
    world = load_world(WORLDS / name).with_robots(40)
    homes = [robot.home for robot in world.robots]
    routes = routes_over(world.map)
    for home in homes:
        gap = min(distance_m(home.x_m, home.y_m, wall) for wall in world.map.walls)
        assert gap >= RADIUS_M
        routes.bends(home, world.places["tank"], RADIUS_M)
    assert len({(home.x_m, home.y_m) for home in homes}) == len(homes)


def test_robots_beyond_all_room_share_a_home() -> None:
    world = World(map=Map(0.05, 3.0, 3.0)).with_robots(50)
    assert len(world.robots) == 50
    assert all(world.map.contains(r.home.x_m, r.home.y_m) for r in world.robots)
