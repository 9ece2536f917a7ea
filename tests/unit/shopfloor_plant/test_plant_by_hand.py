"""The navigating robot in people's hands: it is steered, told where it is, and keeps
off what its lasers see."""

from __future__ import annotations

import math
from typing import Any

import pytest

from shopfloor.sim.world import World
from tests.support.plant_client import PlantClient

SPEEDS, START = "/arco/cmd_vel", "/arco/initialpose"
FAST_MPS = 0.6


@pytest.fixture
def client(arco_lab: World) -> PlantClient:
    one = PlantClient(arco_lab, "/arco/amcl_pose", "/rosout")
    one.advance(0.5)
    return one


def body(client: PlantClient) -> Any:
    return client.plant.robots[0].body


def steer(client: PlantClient, seconds: float, ahead_mps: float) -> float:
    """Keep saying so; the highest speed on the way."""
    highest = 0.0
    for _ in range(round(seconds / 0.1)):
        speeds = {"linear": {"x": ahead_mps}, "angular": {"z": 0.0}}
        client.publish(SPEEDS, "geometry_msgs/Twist", speeds)
        client.advance(0.1)
        highest = max(highest, body(client).speed_mps)
    return highest


def place(client: PlantClient, x_m: float, y_m: float, yaw_rad: float) -> None:
    turn = {"z": math.sin(yaw_rad / 2.0), "w": math.cos(yaw_rad / 2.0)}
    pose = {"position": {"x": x_m, "y": y_m}, "orientation": turn}
    message = {"header": {"frame_id": "map"}, "pose": {"pose": pose}}
    client.publish(START, "geometry_msgs/PoseWithCovarianceStamped", message)


def test_a_robot_steered_at_a_wall_stops_before_it(client: PlantClient) -> None:
    start = body(client).pose
    assert steer(client, 5.0, FAST_MPS) == pytest.approx(FAST_MPS, abs=0.1)
    steer(client, 40.0, FAST_MPS)
    assert body(client).speed_mps < 0.02
    assert body(client).pose.distance_to(start) > 0.5
    assert client.simulation.state()["contacts"] == 0
    steer(client, 1.0, -FAST_MPS)
    assert body(client).speed_mps > 0.1
    client.advance(2.0)
    assert body(client).speed_mps == pytest.approx(0.0, abs=1e-3)


def test_with_a_broken_laser_it_crawls_by_hand_and_with_a_stop_it_stands(
    client: PlantClient,
) -> None:
    client.simulation.fault("laser arco rear missing")
    client.advance(2.0)
    assert 0.05 < steer(client, 3.0, FAST_MPS) < 0.12
    client.simulation.fault("estop arco")
    client.advance(1.0)
    assert steer(client, 1.0, FAST_MPS) == pytest.approx(0.0, abs=1e-3)


def test_the_localiser_is_told_where_the_robot_is(client: PlantClient) -> None:
    true = body(client).pose
    place(client, true.x_m + 0.9, true.y_m, true.yaw_rad)
    robot = client.plant.robots[0]
    client.advance(0.1)
    assert robot.estimate is not None
    assert robot.estimate.pose.distance_to(true) > 0.5
    assert body(client).pose == true
    place(client, true.x_m, true.y_m, true.yaw_rad)
    client.advance(0.1)
    assert robot.estimate.pose.distance_to(true) < 0.3
    said = [line["msg"] for line in client.said["/rosout"]]
    assert [text for text in said if text.startswith("Setting pose")]


def test_cleared_costmaps_forget_what_was_seen(client: PlantClient) -> None:
    pilot: Any = client.plant.robots[0].pilot
    pilot.planner.window.seen_at[:] = 1.0
    pilot.planner.window.marked = 5
    client.call("/arco/move_base/clear_costmaps")
    assert len(pilot.planner.window.marked_points_m()) == 0
    assert pilot.planner.window.marked == 0
