"""A viewer of others, with its own libraries, sees everything that the simulator says:
Foxglove's rosbridge client and its readers of both wire forms, unmodified."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from shopfloor.sim.message_types import Dialect
from shopfloor.sim.server import running
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Anchor, Map, Person, RobotSpec, World
from tests.support.npm_client import ROOT, fetch_client
from tests.support.stock_clients import Seen, reported

SOURCE = ROOT / "tests" / "integration" / "foxglove"
HOME = ROOT / "build" / "npm" / "foxglove"
SHARED = "/rosout /clock /client_count /connected_clients /tf /tf_static /map /people"
OF_ROBOT = """
amcl_pose odom tf scan battery_state diagnostics range security_stop scale map
cmd_vel initialpose emergency_stop people
"""
OF_ROS1 = """
move_base/status move_base/feedback move_base/result move_base_simple/goal
move_base/NavfnROS/plan move_base/global_costmap/costmap
move_base/local_costmap/costmap move_base/TrajectoryPlannerROS/local_plan
"""
OF_ROS2 = "plan goal_pose global_costmap/costmap local_costmap/costmap local_plan"
FLOOR = World(
    map=Map(0.5, 20.0, 10.0, walls=((10.0, 0.0, 10.0, 8.0),)),
    robots=(RobotSpec("robot1", home=Pose(1.0, 1.0), tag=1),),
    anchors=(Anchor("a1", 1, 0.0, 0.0), Anchor("a2", 2, 20.0, 0.0)),
    people=(Person("worker", (Pose(2.0, 5.0), Pose(8.0, 5.0)), tag=500),),
)


def spelt(name: str, dialect: Dialect) -> str:
    return name if dialect == "ros1" else name.replace("/", "/msg/")


def viewed(dialect: Dialect) -> Seen:
    """Everything seen while a robot drives a goal that somebody publishes."""
    node = fetch_client(SOURCE, HOME)
    pose = {"position": {"x": 2.0, "y": 1.0}, "orientation": {"w": 1.0}}
    goal = {"header": {"frame_id": "map"}, "pose": pose}
    here = {"position": {"x": 1.0, "y": 1.0}, "orientation": {"w": 1.0}}
    start = {"header": {"frame_id": "map"}, "pose": {"pose": here}}
    ros1 = dialect == "ros1"
    goal_topic = "move_base_simple/goal" if ros1 else "goal_pose"
    said: list[Any] = [
        ("cmd_vel", "geometry_msgs/Twist", {}),
        ("emergency_stop", "std_msgs/Bool", {"data": False}),
        ("initialpose", "geometry_msgs/PoseWithCovarianceStamped", start),
        (goal_topic, "geometry_msgs/PoseStamped", goal),
    ]
    given = [
        (f"/robot1/{name}", spelt(kind, dialect), body) for name, kind, body in said
    ]
    names = (OF_ROBOT + (OF_ROS1 if ros1 else OF_ROS2)).split()
    expected = [*SHARED.split(), *(f"/robot1/{name}" for name in names)]
    with running(Simulation(FLOOR, dialect=dialect, speed=2.0)) as simulator:
        script = str(SOURCE / "viewer.mjs")
        asked = [simulator.url, json.dumps(expected), json.dumps(given)]
        packages = {"HOME_OF_PACKAGES": str(HOME / "package.json")}
        seen = reported([*node.node, script, *asked], {**os.environ, **packages})
    assert sorted(set(expected) - set(seen["heard"])) == []
    return seen


@pytest.mark.parametrize(("dialect", "version"), [("ros1", 1), ("ros2", 2)])
def test_foxglove_decodes_every_topic_with_the_types_that_rosapi_tells(
    dialect: Dialect, version: int
) -> None:
    seen = viewed(dialect)
    assert seen["version"] == version
    assert seen["refused"] == {}
    assert "/rosbridge_websocket" in seen["nodes"]
    heard = seen["heard"]
    grid = heard["/robot1/map"]
    assert [grid["info"]["width"], grid["info"]["height"]] == [40, 20]
    assert len(grid["data"]) == 800
    assert grid["data"].count(100) > 10
    battery = heard["/robot1/battery_state"]
    assert battery["percentage"] == pytest.approx(1.0, abs=0.01)
    assert battery["present"] is True
    part = heard["/robot1/diagnostics"]["status"][0]
    assert (part["name"], part["message"]) == ("robot1: base", "ready")
    [mount] = heard["/tf_static"]["transforms"]
    assert mount["child_frame_id"] == "robot1/laser"
    assert heard["/client_count"] == {"data": 1}
    [client] = heard["/connected_clients"]["clients"]
    assert client["ip_address"] == "127.0.0.1"
    [person] = heard["/people"]["people"]
    assert person["tags"][0] == "500"
    assert "fault" not in heard["/rosout"]["msg"]
    assert heard["/robot1/initialpose"]["pose"]["pose"]["orientation"]["w"] == 1.0
