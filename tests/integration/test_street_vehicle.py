"""A car-like vehicle over rosbridge: its topics, driven by velocities and by goals."""

import base64
import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.support.simulator import Child

PATIENCE_S = 60
TOPICS = {
    "odom": "nav_msgs/Odometry",
    "joint_states": "sensor_msgs/JointState",
    "scan": "sensor_msgs/LaserScan",
    "points": "sensor_msgs/PointCloud2",
    "imu": "sensor_msgs/Imu",
    "fix": "sensor_msgs/NavSatFix",
    "depth": "sensor_msgs/Image",
    "motor_currents": "sensor_msgs/JointState",
    "wheel_encoders": "sensor_msgs/JointState",
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    child = Child(
        *("-m", "shopfloor", "sim", "alley", "--port", "0", "--speed", "2"),
        *("--with-parent", "--seed", "1"),
    )
    try:
        yield json.loads(child.line())["url"]
    finally:
        child.kill()


@pytest.fixture
def socket(url: str) -> Iterator[ClientConnection]:
    with connect(url, max_size=None) as opened:
        yield opened


def send(socket: ClientConnection, op: str, **fields: Any) -> None:
    socket.send(json.dumps({"op": op, **fields}))


def listen(socket: ClientConnection, *topics: str) -> None:
    for topic in topics:
        send(socket, "subscribe", topic=f"/zebrat/{topic}")


def next_of(socket: ClientConnection, topic: str) -> Any:
    while True:
        message = json.loads(socket.recv(timeout=PATIENCE_S))
        if message.get("topic") == f"/zebrat/{topic}":
            return message["msg"]


def velocity(socket: ClientConnection, speed: float | None, turn: float) -> None:
    twist = {"linear": {"x": speed}, "angular": {"z": turn}}
    send(
        socket,
        "publish",
        topic="/zebrat/cmd_vel",
        type="geometry_msgs/Twist",
        msg=twist,
    )


@pytest.mark.covers("Z22", "Z23", "Z24", "Z25")
def test_every_sensor_of_the_vehicle_has_a_topic(socket: ClientConnection) -> None:
    listen(socket, *TOPICS)
    seen: dict[str, Any] = {}
    while set(seen) != set(TOPICS):
        message = json.loads(socket.recv(timeout=PATIENCE_S))
        seen[message["topic"].removeprefix("/zebrat/")] = message["msg"]
    assert len(seen["scan"]["ranges"]) == 360
    cloud = seen["points"]
    data = base64.b64decode(cloud["data"])
    assert len(data) == cloud["width"] * cloud["point_step"] == cloud["row_step"]
    heights = [struct.unpack_from("<3f", data, at)[2] for at in range(0, len(data), 12)]
    assert min(heights) < 0.2
    assert max(heights) > 1.5
    depth = seen["depth"]
    assert (depth["encoding"], depth["width"], depth["height"]) == ("32FC1", 64, 36)
    assert len(base64.b64decode(depth["data"])) == 4 * 64 * 36
    assert seen["fix"]["latitude"] == pytest.approx(42.3591, abs=0.01)
    assert set(seen["motor_currents"]["name"]) == {
        "steering",
        "left_drive",
        "right_drive",
        "supply",
    }
    assert abs(seen["imu"]["angular_velocity"]["z"]) < 0.1


@pytest.mark.covers("Z16", "Z17", "Z18")
def test_velocities_drive_it_and_the_joints_follow_the_table(
    socket: ClientConnection,
) -> None:
    listen(socket, "joint_states", "true_joint_states", "wheel_encoders", "odom")
    wanted = math.atan(0.53 * 0.3 / 0.6)
    states: dict[str, Any] = {}
    speed = 0.0
    for _ in range(400):
        velocity(socket, 0.6, 0.3)
        joints = next_of(socket, "joint_states")
        values = zip(joints["position"], joints["velocity"], strict=True)
        states = dict(zip(joints["name"], values, strict=True))
        speed = next_of(socket, "odom")["twist"]["twist"]["linear"]["x"]
        rolls = abs(states["rl_axle"][1] - 0.6 / 0.15) < 1e-6
        if rolls and abs(speed - 0.6) < 1e-6:
            break
    assert speed == pytest.approx(0.6)
    assert states["base2lstr"][0] == pytest.approx(wanted)
    assert states["base2rstr"][0] == pytest.approx(wanted)
    for axle in ("fl_axle", "fr_axle", "rl_axle", "rr_axle"):
        assert states[axle][1] == pytest.approx(0.6 / 0.15)
    # A real axle turns its inner wheel further and rolls it more slowly.
    real = next_of(socket, "true_joint_states")
    angle = dict(zip(real["name"], real["position"], strict=True))
    rolls_at = dict(zip(real["name"], real["velocity"], strict=True))
    assert angle["base2lstr"] > wanted > angle["base2rstr"] > 0.0
    assert rolls_at["rl_axle"] < rolls_at["rr_axle"]
    # Encoders have counted what the left and the right wheel rolled, not quite right.
    counted = next_of(socket, "wheel_encoders")
    assert counted["name"] == ["rl_axle", "rr_axle"]
    left, right = counted["position"]
    assert 0.0 < left < right
    # Nobody says anything any more: it stops.
    for _ in range(200):
        if next_of(socket, "odom")["twist"]["twist"]["linear"]["x"] == 0.0:
            break
    assert next_of(socket, "odom")["twist"]["twist"]["linear"]["x"] == 0.0


def test_a_velocity_that_is_no_number_stops_it(socket: ClientConnection) -> None:
    listen(socket, "odom")
    for _ in range(10):
        velocity(socket, 0.4, 0.0)
        next_of(socket, "odom")
    velocity(socket, None, 0.0)
    speeds = [
        next_of(socket, "odom")["twist"]["twist"]["linear"]["x"] for _ in range(40)
    ]
    assert speeds[-1] == 0.0


def drive(socket: ClientConnection, x: float, y: float, yaw: float) -> Any:
    turn = {"z": math.sin(yaw / 2), "w": math.cos(yaw / 2)}
    pose = {"position": {"x": x, "y": y}, "orientation": turn}
    goal = {"header": {"frame_id": "map"}, "pose": pose}
    message = {"goal_id": {"id": f"{x} {y}"}, "goal": {"target_pose": goal}}
    listen(socket, "move_base/result")
    send(
        socket,
        "publish",
        topic="/zebrat/move_base/goal",
        type="move_base_msgs/MoveBaseActionGoal",
        msg=message,
    )
    while True:
        status = next_of(socket, "move_base/result")["status"]
        if status["goal_id"]["id"] == f"{x} {y}":
            return status


@pytest.mark.covers("Z18", "Z33")
def test_a_goal_is_driven_to_and_one_in_a_house_is_refused_with_the_cause(
    socket: ClientConnection,
) -> None:
    status = drive(socket, 6.0, 3.0, 0.0)
    assert status["status"] == 3, status["text"]
    refused = drive(socket, 10.0, 1.3, 0.0)
    assert refused["status"] == 4
    assert "no way for zebrat" in refused["text"]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["urban", "--alley-width", "1.2"], "--alley-width is for the world alley"),
        (["alley", "--alley-width", "9"], "does not fit between the houses"),
        (["arco_lab", "--planner", "dwa"], "--planner is for worlds with streets"),
        (["urban", "--robots", "3"], "--robots is not for a world with streets"),
        (["urban", "--people", "3"], "--people is for --navigation full"),
    ],
)
def test_options_that_do_not_fit_are_named(
    asked: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from shopfloor.cli import main

    assert main(["sim", *asked, "--port", "0"]) == 2
    assert reason in capsys.readouterr().err


def test_a_vehicle_that_does_not_exist_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from shopfloor.cli import main

    worlds = Path(__file__).resolve().parents[2] / "worlds" / "alley"
    for file in worlds.iterdir():
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text.replace("vehicle: zebrat", "vehicle: x"))
    assert main(["sim", str(tmp_path), "--port", "0"]) == 2
    assert "there is no vehicle 'x'; there are car" in capsys.readouterr().err
