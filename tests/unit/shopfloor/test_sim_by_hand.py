"""A robot that people steer, place, and ask for ways; and what the machine says of
itself."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose
from tests.support.rosbridge import LocalClient

TWIST, START = "geometry_msgs/Twist", "geometry_msgs/PoseWithCovarianceStamped"
WALL_X_M, RADIUS_M = 10.0, 0.3


def steer(client: LocalClient, ahead: float, turn: float = 0.0) -> None:
    speeds = {"linear": {"x": ahead}, "angular": {"z": turn}}
    client.publish("/robot1/cmd_vel", TWIST, speeds)


def place(client: LocalClient, x_m: float, y_m: float, frame: str = "map") -> None:
    pose = {"position": {"x": x_m, "y": y_m}, "orientation": {"w": 1.0}}
    body = {"header": {"frame_id": frame}, "pose": {"pose": pose}}
    client.publish("/robot1/initialpose", START, body)


def robot(client: LocalClient) -> dict[str, Any]:
    return dict(client.simulation.state()["robots"][0])


def plan(client: LocalClient, name: str, x_m: float, y_m: float) -> dict[str, Any]:
    pose = {"position": {"x": x_m, "y": y_m}, "orientation": {"w": 1.0}}
    goal = {"header": {"frame_id": "map"}, "pose": pose}
    return client.call(name, {"goal": goal})


def test_a_robot_without_a_goal_follows_speeds_and_stops_when_they_are_stale(
    client: LocalClient,
) -> None:
    for _ in range(20):
        steer(client, 0.5)
        client.advance(0.1)
    driven = robot(client)
    assert driven["speed_mps"] == pytest.approx(0.5)
    assert driven["x_m"] > 1.5
    client.advance(2.0)
    stopped = robot(client)
    assert stopped["speed_mps"] == 0.0
    client.advance(2.0)
    assert robot(client)["x_m"] == stopped["x_m"]


def test_a_robot_turns_and_backs_by_hand(client: LocalClient) -> None:
    for _ in range(10):
        steer(client, -0.3, 0.4)
        client.advance(0.1)
    backed = robot(client)
    assert backed["x_m"] < 1.0
    assert backed["yaw_rad"] > 0.1


def test_speeds_do_not_disturb_a_goal(client: LocalClient) -> None:
    client.subscribe("/robot1/move_base/result")
    client.goal("g1", 4.0, 1.0)
    for _ in range(120):
        steer(client, -0.8, 1.0)
        client.advance(0.1)
        if client.results():
            break
    assert client.results() == [("g1", 3)]
    assert robot(client)["x_m"] == pytest.approx(4.0, abs=0.1)


def test_who_steers_is_stopped_before_a_wall_and_by_the_stop_button(
    client: LocalClient,
) -> None:
    for _ in range(300):
        steer(client, 0.8)
        client.advance(0.1)
    before = robot(client)["x_m"]
    assert WALL_X_M - 1.5 < before < WALL_X_M - RADIUS_M
    client.publish("/robot1/emergency_stop", "std_msgs/Bool", {"data": True})
    for _ in range(10):
        steer(client, -0.8)
        client.advance(0.1)
    assert robot(client)["x_m"] == before


def test_a_speed_that_is_no_number_is_not_driven(client: LocalClient) -> None:
    speeds = {"linear": {"x": None}, "angular": {"z": 0.0}}
    client.publish("/robot1/cmd_vel", TWIST, speeds)
    client.advance(0.3)
    assert robot(client)["odometer_m"] == 0.0


def test_an_initial_pose_moves_the_pose_and_is_refused_aloud(
    client: LocalClient,
) -> None:
    client.subscribe("/rosout")
    place(client, 5.0, 2.0)
    assert (robot(client)["x_m"], robot(client)["y_m"]) == (5.0, 2.0)
    place(client, 50.0, 2.0)
    place(client, 6.0, 2.0, "odom")
    place(client, WALL_X_M, 2.0)
    assert robot(client)["x_m"] == 5.0
    said = [line["msg"] for line in client.messages("/rosout")]
    refused = [text for text in said if text.startswith("Ignoring initial pose")]
    assert [text.split(": ")[1] for text in refused] == [
        "it is outside the map",
        "its frame is 'odom', not map",
        "a wall is there",
    ]


def test_a_goal_goes_on_from_where_somebody_says_it_is(client: LocalClient) -> None:
    client.subscribe("/robot1/move_base/result")
    client.goal("g1", 8.0, 1.0)
    client.advance(1.0)
    place(client, 6.0, 3.0)
    client.advance(15.0)
    assert client.results() == [("g1", 3)]


def test_a_plan_is_made_without_driving(client: LocalClient) -> None:
    name = "/robot1/move_base/make_plan"
    way = plan(client, name, 8.0, 2.0)["values"]["plan"]["poses"]
    ends = [stop["pose"]["position"] for stop in (way[0], way[-1])]
    assert [(end["x"], end["y"]) for end in ends] == [(1.0, 1.0), (8.0, 2.0)]
    client.advance(1.0)
    assert robot(client)["odometer_m"] == 0.0
    nowhere = plan(client, name, WALL_X_M, 2.0)
    assert nowhere["result"] is True
    assert nowhere["values"]["plan"]["poses"] == []


def test_move_base_makes_no_plan_while_it_drives(client: LocalClient) -> None:
    client.goal("g1", 8.0, 1.0)
    client.advance(0.5)
    answer = plan(client, "/robot1/move_base/make_plan", 8.0, 2.0)
    assert answer["result"] is False
    text = "service [/robot1/move_base/make_plan] responded with an error: b''"
    assert answer["values"] == text


def test_costmaps_are_cleared_by_the_service_of_each_dialect(
    client: LocalClient, ros2: LocalClient
) -> None:
    done = client.call("/robot1/move_base/clear_costmaps")
    assert (done["result"], done["values"]) == (True, {})
    for which in ("global", "local"):
        name = f"/robot1/{which}_costmap/clear_entirely_{which}_costmap"
        done = ros2.call(name)
        assert (done["result"], done["values"]) == (True, {"response": {}})
    assert plan(ros2, "/robot1/make_plan", 8.0, 2.0)["result"] is True


def test_who_is_connected_is_told_with_address_and_time(
    simulation: Simulation, connect: Callable[[], LocalClient], clock: ManualClock
) -> None:
    first = connect()
    first.subscribe("/client_count")
    first.subscribe("/connected_clients")
    clock.advance(10.0)
    second = simulation.connect("192.0.2.7")
    simulation.disconnect(second)
    counts = [message["data"] for message in first.messages("/client_count")]
    assert counts == [1, 2, 1]
    told = first.messages("/connected_clients")[1]["clients"]
    assert [client["ip_address"] for client in told] == ["127.0.0.1", "192.0.2.7"]
    began = [client["connection_time"]["secs"] for client in told]
    assert began[1] - began[0] == 10


def test_errors_that_no_client_hears_stand_in_the_log(client: LocalClient) -> None:
    client.subscribe("/rosout")
    client.send("subscribe", topic="/robot1/odom", type="std_msgs/String", id="s7")
    [line] = client.messages("/rosout")
    assert line["level"] == 8
    assert line["name"] == "/rosbridge_websocket"
    assert line["msg"].startswith("[Client 1] [id: s7] subscribe: /robot1/odom is")


def test_the_clock_is_that_of_the_stamps(client: LocalClient) -> None:
    client.subscribe("/clock")
    client.advance(1.0)
    clocks = [message["clock"] for message in client.messages("/clock")]
    assert len(clocks) >= 9
    times = [stamp["secs"] + stamp["nsecs"] * 1e-9 for stamp in clocks]
    assert times == sorted(times)
    assert math.isclose(times[-1], client.clock.now(), abs_tol=0.2)


def test_a_robot_at_the_root_shares_the_topics_of_its_machine() -> None:
    from shopfloor.sim.world import RobotSpec, World

    clock = ManualClock()
    floor = World(robots=(RobotSpec("only", Pose(1.0, 1.0), namespace=""),))
    client = LocalClient(Simulation(floor, clock=clock), clock)
    client.subscribe("/tf_static")
    [told] = client.messages("/tf_static")
    assert told["transforms"][0]["child_frame_id"] == "laser"
    assert client.call("/move_base/clear_costmaps")["result"] is True
