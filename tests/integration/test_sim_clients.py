"""One protocol suite, played by every client that must work unchanged.

Raw frames, roslibpy on both of its transports (a process each, because a process
can have only one of them) and stock roslibjs play the same steps and report what
they saw; the claims below hold for all of them.
"""

import base64
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.stock_clients import Seen, played_in_node, reported

SUITE = Path(__file__).parent / "roslibjs" / "suite.js"
DEADLINE_S = 60
CLIENTS = {
    "raw": "robot1",
    "asyncio": "robot2",
    "twisted": "robot3",
    "roslibjs": "robot4",
}
MAP = [40, 20, 800]


def play_raw(url: str, robot: str) -> Seen:
    import cbor2
    from PIL import Image
    from websockets.sync.client import connect

    with connect(url, max_size=None) as socket:

        def send(op: str, **fields: Any) -> None:
            socket.send(json.dumps({"op": op, **fields}))

        def receive(wanted: Callable[[Seen], bool]) -> Seen:
            while True:
                frame = socket.recv(timeout=DEADLINE_S)
                message: Any = (
                    cbor2.loads(frame)
                    if isinstance(frame, bytes)
                    else json.loads(frame)
                )
                if message["op"] == "png":
                    data = base64.b64decode(message["data"])
                    with Image.open(io.BytesIO(data)) as picture:
                        message = json.loads(picture.tobytes())
                if wanted(message):
                    return dict(message)

        def call(service: str, **args: Any) -> Any:
            send("call_service", id=service, service=service, args=args)
            return receive(lambda message: message.get("id") == service)["values"]

        def hear(topic: str) -> Seen:
            return dict(receive(lambda message: message.get("topic") == topic)["msg"])

        seen: Seen = {
            "topics": call("/rosapi/topics")["topics"],
            "status_type": call(
                "/rosapi/topic_type", topic=f"/{robot}/move_base/status"
            )["type"],
            "unknown_type": call("/rosapi/topic_type", topic="/nobody")["type"],
            "unknown_service": call("/x"),
        }
        send("subscribe", topic="/chatter", type="std_msgs/String")
        send("advertise", topic="/chatter", type="std_msgs/String")
        send("publish", topic="/chatter", msg={"data": "grüß"})
        seen["echo"] = hear("/chatter")["data"]
        for compression in ("none", "cbor", "png"):
            topic = f"/{robot}/map"
            send("subscribe", topic=topic, compression=compression)
            grid = hear(topic)
            cells: Any = getattr(grid["data"], "value", grid["data"])
            info = grid["info"]
            seen[f"map_{compression}"] = [info["width"], info["height"], len(cells)]
            send("unsubscribe", topic=topic)
        send("advertise_service", service="/add", type="rospy_tutorials/AddTwoInts")
        send("call_service", id="sum", service="/add", args={"a": 2, "b": 3})
        request = receive(lambda message: message["op"] == "call_service")
        total = request["args"]["a"] + request["args"]["b"]
        send(
            "service_response",
            id=request["id"],
            service="/add",
            values={"sum": total},
            result=True,
        )
        seen["sum"] = receive(lambda message: message.get("id") == "sum")["values"][
            "sum"
        ]
        call("/rosapi/set_param", name="/param", value=json.dumps({"a": [1, 2]}))
        seen["param"] = json.loads(call("/rosapi/get_param", name="/param")["value"])
        call("/rosapi/delete_param", name="/param")
        result, goal = f"/{robot}/move_base/result", f"/{robot}/move_base/goal"
        send("subscribe", topic=result)
        send("advertise", topic=goal, type="move_base_msgs/MoveBaseActionGoal")
        send(
            "publish",
            topic=goal,
            msg={"goal_id": {"id": "raw"}, "goal": {"target_pose": target(robot)}},
        )
        seen["goal_status"] = hear(result)["status"]["status"]
        return seen


def lane_m(robot: str) -> float:
    """Every robot has a lane of its own: two never stand in one spot."""
    return 2.0 * int(robot[-1]) - 1.0


def target(robot: str) -> dict[str, Any]:
    return {
        "header": {"frame_id": "map"},
        "pose": {
            "position": {"x": 3.0, "y": lane_m(robot)},
            "orientation": {"w": 1.0},
        },
    }


def play_roslibpy(transport: str, url: str, robot: str) -> Seen:
    import threading

    import roslibpy
    import roslibpy.ros1.actionlib as actionlib

    roslibpy.ros.set_rosapi_timeout(DEADLINE_S)
    host, port = url.removeprefix("ws://").split(":")
    ros = roslibpy.Ros(host, int(port), transport=transport)
    ros.run(timeout=DEADLINE_S)

    def hear(topic: Any, provoke: Callable[[], None] = lambda: None) -> Any:
        arrived, kept = threading.Event(), []

        def keep(message: Any) -> None:
            kept.append(message)
            arrived.set()

        topic.subscribe(keep)
        for _ in range(DEADLINE_S * 10):
            provoke()
            if arrived.wait(0.1):
                break
        topic.unsubscribe()
        return kept[0]

    seen: Seen = {
        "topics": ros.get_topics(),
        "status_type": ros.get_topic_type(f"/{robot}/move_base/status"),
        "unknown_type": ros.get_topic_type("/nobody"),
    }
    try:
        roslibpy.Service(ros, "/x", "std_srvs/Empty").call(
            roslibpy.ServiceRequest(), timeout=DEADLINE_S
        )
    except roslibpy.core.ServiceException as error:
        seen["unknown_service"] = str(error)
    name = f"/chatter_{transport}"
    speaker = roslibpy.Topic(ros, name, "std_msgs/String")
    heard = hear(
        roslibpy.Topic(ros, name, "std_msgs/String"),
        lambda: speaker.publish(roslibpy.Message({"data": "grüß"})),
    )
    seen["echo"] = heard["data"]
    grid = hear(roslibpy.Topic(ros, f"/{robot}/map", "nav_msgs/OccupancyGrid"))
    info = grid["info"]
    seen["map_none"] = [info["width"], info["height"], len(grid["data"])]

    def add(request: Any, response: Any) -> bool:
        response["sum"] = request["a"] + request["b"]
        return True

    service, kind = f"/add_{transport}", "rospy_tutorials/AddTwoInts"
    roslibpy.Service(ros, service, kind).advertise(add)
    request = roslibpy.ServiceRequest({"a": 2, "b": 3})
    answer = roslibpy.Service(ros, service, kind).call(request, timeout=DEADLINE_S)
    seen["sum"] = answer["sum"]
    param = roslibpy.Param(ros, f"/param_{transport}")
    param.set({"a": [1, 2]}, timeout=DEADLINE_S)
    seen["param"] = param.get(timeout=DEADLINE_S)
    param.delete(timeout=DEADLINE_S)
    client = actionlib.ActionClient(
        ros, f"/{robot}/move_base", "move_base_msgs/MoveBaseAction"
    )
    goal = actionlib.Goal(client, roslibpy.Message({"target_pose": target(robot)}))
    goal.send()
    goal.wait(DEADLINE_S)
    seen["goal_status"] = goal.status["status"]
    ros.terminate()
    return seen


def play_ros2_action(transport: str, url: str, robot: str) -> Seen:
    import threading

    import roslibpy

    host, port = url.removeprefix("ws://").split(":")
    ros = roslibpy.Ros(host, int(port), transport=transport)
    ros.run(timeout=DEADLINE_S)
    client = roslibpy.ActionClient(
        ros, f"/{robot}/navigate_to_pose", "nav2_msgs/action/NavigateToPose"
    )
    ended = threading.Event()
    seen: dict[str, Any] = {"feedback": 0, "status": None}

    def settle(result: Any) -> None:
        seen["status"] = result["status"].value
        ended.set()

    def count(_: Any) -> None:
        seen["feedback"] += 1

    client.send_goal(roslibpy.Goal({"pose": target(robot)}), settle, count, settle)
    ended.wait(DEADLINE_S)
    ros.terminate()
    return seen


if __name__ == "__main__":
    plays = {"ros1": play_roslibpy, "ros2": play_ros2_action}
    print(json.dumps(plays[sys.argv[1]](*sys.argv[2:])))
    sys.stdout.flush()
    os._exit(0)


@pytest.fixture(scope="module")
def simulator_url() -> Iterator[str]:
    from shopfloor.sim.server import running
    from shopfloor.sim.simulation import Simulation
    from shopfloor.sim.vehicle import Pose
    from shopfloor.sim.world import Map, RobotSpec, World

    robots = tuple(
        RobotSpec(name, home=Pose(1.0, lane_m(name))) for name in CLIENTS.values()
    )
    world = World(map=Map(0.5, 20.0, 10.0), robots=robots)
    with running(Simulation(world, speed=20.0)) as simulator:
        yield simulator.url


def play(client: str, url: str) -> Seen:
    robot = CLIENTS[client]
    if client == "raw":
        return play_raw(url, robot)
    if client == "roslibjs":
        return played_in_node(SUITE, url, robot)
    return reported([sys.executable, __file__, "ros1", client, url, robot], None)


@pytest.fixture(scope="module", params=list(CLIENTS))
def played(request: pytest.FixtureRequest, simulator_url: str) -> tuple[str, Seen]:
    return request.param, play(request.param, simulator_url)


@pytest.mark.covers("A17", "A18")
def test_topics_of_every_robot_are_listed(played: tuple[str, Seen]) -> None:
    client, seen = played
    assert f"/{CLIENTS[client]}/amcl_pose" in seen["topics"]


def test_types_are_told_and_an_unknown_topic_has_none(
    played: tuple[str, Seen],
) -> None:
    _, seen = played
    assert seen["status_type"] == "actionlib_msgs/GoalStatusArray"
    assert seen["unknown_type"] == ""


def test_an_unknown_service_fails_with_its_name(played: tuple[str, Seen]) -> None:
    _, seen = played
    assert seen["unknown_service"].endswith("Service /x does not exist")


@pytest.mark.covers("A19")
def test_what_is_published_is_heard(played: tuple[str, Seen]) -> None:
    _, seen = played
    assert seen["echo"] == "grüß"


def test_the_latched_map_arrives_in_every_form_the_client_knows(
    played: tuple[str, Seen],
) -> None:
    client, seen = played
    forms = ["none"] if client in ("asyncio", "twisted") else ["none", "cbor", "png"]
    assert [seen[f"map_{form}"] for form in forms] == [MAP] * len(forms)
    if client == "roslibjs":
        assert seen["raw_bytes"] > MAP[2]


def test_a_service_offered_by_the_client_can_be_called(
    played: tuple[str, Seen],
) -> None:
    _, seen = played
    assert seen["sum"] == 5


def test_parameters_come_back_as_set(played: tuple[str, Seen]) -> None:
    _, seen = played
    assert seen["param"] == {"a": [1, 2]}


@pytest.mark.covers("A18", "A19")
def test_a_goal_is_driven_to_success(played: tuple[str, Seen]) -> None:
    _, seen = played
    assert seen["goal_status"] == 3


@pytest.mark.covers("A18")
def test_roslibpys_action_client_drives_a_ros2_goal() -> None:
    from shopfloor.sim.server import running
    from shopfloor.sim.simulation import Simulation

    with running(Simulation(dialect="ros2", speed=2.0)) as simulator:
        command = [sys.executable, __file__, "ros2", "asyncio"]
        seen = reported([*command, simulator.url, "robot1"], None)
    assert seen["status"] == 4
    assert seen["feedback"] > 0
