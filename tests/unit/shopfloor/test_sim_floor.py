"""What the simulated robots say for people who look at a map."""

import random
from typing import Any

import pytest

from shopfloor.sim import sensors
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Anchor
from tests.support.rosbridge import LocalClient

PLAN = "/robot1/move_base/NavfnROS/plan"
COSTMAP = "/robot1/move_base/local_costmap/costmap"


def ends(message: Any) -> list[tuple[float, float]]:
    return [
        (each["pose"]["position"]["x"], each["pose"]["position"]["y"])
        for each in message["poses"]
    ]


def test_an_idle_robot_plans_nothing_and_says_so_to_whoever_asks_later(
    client: LocalClient,
) -> None:
    client.advance(3.0)
    client.subscribe(PLAN)
    client.advance(0.1)
    assert ends(client.messages(PLAN)[-1]) == []


def test_the_plan_leads_from_the_robot_to_its_goal_and_ends_with_it(
    client: LocalClient,
) -> None:
    client.subscribe(PLAN)
    client.goal("g", 4.0, 1.0)
    client.advance(0.5)
    assert ends(client.messages(PLAN)[-1])[-1] == (4.0, 1.0)
    client.advance(3.0)
    start_x, _ = ends(client.messages(PLAN)[-1])[0]
    assert start_x > 1.1
    client.advance(20.0)
    assert ends(client.messages(PLAN)[-1]) == []


@pytest.mark.covers("A30")
def test_the_costmap_lies_around_the_robot_and_keeps_its_radius_from_walls() -> None:
    wall = (3.05, -10.0, 3.05, 10.0)
    side, corner, cells = sensors.costmap(Pose(2.0, 5.0), [wall], 0.25)
    assert len(cells) == side * side == 1600
    assert (corner.x_m, corner.y_m) == pytest.approx((0.0, 3.0))
    row = cells[20 * side :][:side]
    assert row[28:33] == [99, 99, 100, 99, 99]
    assert set(row[:28] + row[33:]) == {sensors.FREE}


def test_the_costmap_is_made_for_listeners(client: LocalClient) -> None:
    client.advance(3.0)
    assert client.messages(COSTMAP) == []
    client.subscribe(COSTMAP)
    client.advance(1.2)
    grid = client.messages(COSTMAP)[-1]
    assert len(grid["data"]) == grid["info"]["width"] * grid["info"]["height"]
    assert grid["info"]["origin"]["position"]["x"] == pytest.approx(-1.0)


def test_people_are_said_with_their_covariance(client: LocalClient) -> None:
    client.subscribe("/people")
    client.advance(0.5)
    person = client.messages("/people")[-1]["people"][0]
    said = dict(zip(person["tagnames"], person["tags"], strict=True))
    assert said == {"tag": "500", "covariance": "0.0064 0 0.0064"}


def test_the_local_path_ends_where_the_costmap_around_the_robot_does(
    client: LocalClient,
) -> None:
    client.subscribe("/robot1/move_base/TrajectoryPlannerROS/local_plan")
    client.goal("g", 6.0, 1.0)
    client.advance(1.0)
    way = ends(client.messages("/robot1/move_base/TrajectoryPlannerROS/local_plan")[-1])
    assert way[-1][0] - way[0][0] == pytest.approx(2.0)


@pytest.mark.covers("A40")
def test_a_range_past_a_wall_is_too_long() -> None:
    anchor = Anchor("a", 1, 10.0, 0.0, 1.0)
    rng = random.Random(1)
    wall = (5.0, -1.0, 5.0, 1.0)
    beside = (10.1, -1.0, 10.1, 1.0)
    free = [sensors.uwb_range(Pose(0, 0), anchor, [beside], rng) for _ in range(200)]
    hidden = [sensors.uwb_range(Pose(0, 0), anchor, [wall], rng) for _ in range(200)]
    assert abs(sum(free) / 200 - 10.0) < 0.03
    assert 10.3 < sum(hidden) / 200 < 10.7
