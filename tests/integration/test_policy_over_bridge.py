"""The policy that learned in arrays drives a vehicle over rosbridge, by its laser."""

import json
import math
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from fleet.bodies.file import load_vehicle
from shopfloor.geometry import Pose, Scan
from shopfloor.maneuvers.grid_way import grid_way
from shopfloor.maneuvers.policy import Policy
from shopfloor.maneuvers.scene import DrivingState, on_leg
from shopfloor.streets.alley import alley_world
from tests.support.simulator import Child

PATIENCE_S = 60
ON_M = 4.0


def pose_of(odometry: dict[str, Any]) -> Pose:
    at, turn = odometry["pose"]["pose"]["position"], odometry["pose"]["pose"]
    yaw = 2.0 * math.atan2(turn["orientation"]["z"], turn["orientation"]["w"])
    return Pose(at["x"], at["y"], yaw)


def scan_of(message: dict[str, Any]) -> Scan:
    ranges = [math.inf if r is None else float(r) for r in message["ranges"]]
    return Scan(
        np.array(ranges),
        message["angle_min"],
        message["angle_increment"],
        message["range_max"],
    )


def send(socket: ClientConnection, op: str, **fields: Any) -> None:
    socket.send(json.dumps({"op": op, **fields}))


@pytest.mark.covers("Z43")
def test_the_same_policy_drives_the_robot_over_the_bridge() -> None:
    zebrat = load_vehicle("zebrat")
    policy, world = Policy(zebrat), alley_world()
    start, goal = world.place("start"), world.place("goal")
    way = grid_way(zebrat, world.grid, start, goal).poses
    told: dict[str, Any] = {}
    at = contacts = 0
    child = Child(
        *("-m", "shopfloor", "sim", "alley", "--port", "0", "--with-parent"),
    )
    try:
        with connect(json.loads(child.line())["url"], max_size=None) as socket:
            for topic in ("odom", "joint_states", "scan"):
                send(socket, "subscribe", topic=f"/zebrat/{topic}")
            for _ in range(1000):
                message = json.loads(socket.recv(timeout=PATIENCE_S))
                topic = message.get("topic", "").removeprefix("/zebrat/")
                told[topic] = message.get("msg")
                if topic != "scan" or not {"odom", "joint_states"} <= set(told):
                    continue
                joints = told["joint_states"]
                steering = joints["position"][joints["name"].index("base2lstr")]
                speed = told["odom"]["twist"]["twist"]["linear"]["x"]
                pose = pose_of(told["odom"])
                state = DrivingState(pose, speed, steering)
                at, away_m = on_leg(
                    pose.x_m, pose.y_m, way, at, min(at + 25, len(way) - 1)
                )
                assert away_m < 0.6
                scan = scan_of(told["scan"])
                contacts += bool((scan.ranges_m < 0.05).any())
                if 0.1 * at >= ON_M:
                    break
                wish = policy.from_scan(state, way[at:], scan)
                turn = wish.speed_mps * math.tan(wish.steering_rad)
                twist = {
                    "linear": {"x": wish.speed_mps},
                    "angular": {"z": turn / zebrat.dimensions.wheel_base_m},
                }
                send(
                    socket,
                    "publish",
                    topic="/zebrat/cmd_vel",
                    type="geometry_msgs/Twist",
                    msg=twist,
                )
    finally:
        child.kill()
    assert 0.1 * at >= ON_M
    assert contacts == 0
