"""The ROS 2 dialect: action operations and Nav2's manners."""

from typing import Any

import pytest

from tests.support.rosbridge import LocalClient

SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
ACTION, KIND = "/robot1/navigate_to_pose", "nav2_msgs/action/NavigateToPose"


def send(client: LocalClient, goal_id: str, x_m: float, **fields: Any) -> None:
    pose = {"position": {"x": x_m, "y": 1.0}, "orientation": {"w": 1.0}}
    client.send(
        "send_action_goal",
        id=goal_id,
        action=ACTION,
        action_type=KIND,
        args={"pose": {"header": {"frame_id": "map"}, "pose": pose}},
        feedback=True,
        **fields,
    )


def results(client: LocalClient) -> list[tuple[str, int, bool]]:
    client.read()
    return [
        (frame["id"], frame["status"], frame["result"])
        for frame in client.heard
        if frame["op"] == "action_result"
    ]


@pytest.mark.covers("A19")
def test_a_goal_is_driven_with_feedback_and_one_result(ros2: LocalClient) -> None:
    send(ros2, "g1", 3.0)
    ros2.advance(10.0)
    assert results(ros2) == [("g1", SUCCEEDED, True)]
    feedback = [frame for frame in ros2.heard if frame["op"] == "action_feedback"]
    left = [frame["values"]["distance_remaining"] for frame in feedback]
    assert len(left) > 3
    assert left == sorted(left, reverse=True)
    stamp = feedback[0]["values"]["current_pose"]["header"]["stamp"]
    assert set(stamp) == {"sec", "nanosec"}


def test_cancelling_answers_canceled(ros2: LocalClient) -> None:
    send(ros2, "g1", 9.0)
    ros2.advance(1.0)
    ros2.send("cancel_action_goal", id="g1", action=ACTION)
    ros2.advance(0.2)
    assert results(ros2) == [("g1", CANCELED, True)]


def test_a_newer_goal_aborts_the_older(ros2: LocalClient) -> None:
    send(ros2, "g1", 9.0)
    ros2.advance(1.0)
    send(ros2, "g2", 1.0)
    ros2.advance(10.0)
    assert results(ros2) == [("g1", ABORTED, True), ("g2", SUCCEEDED, True)]


def test_a_rejected_goal_is_answered_with_result_false(ros2: LocalClient) -> None:
    ros2.simulation.fault("reject robot1")
    send(ros2, "g1", 3.0)
    assert results(ros2) == [("g1", 0, False)]


def test_an_unknown_action_and_a_bad_goal_are_answered(ros2: LocalClient) -> None:
    ros2.send("send_action_goal", id="a", action="/nobody", action_type=KIND)
    ros2.send(
        "send_action_goal", id="b", action=ACTION, action_type=KIND, args={"x": 1}
    )
    assert results(ros2) == [("a", 0, False), ("b", 0, False)]


def test_the_same_id_again_is_a_new_goal(ros2: LocalClient) -> None:
    for _ in range(2):
        send(ros2, "g1", 1.0)
        ros2.advance(0.5)
    assert results(ros2) == [("g1", SUCCEEDED, True), ("g1", SUCCEEDED, True)]


def test_the_status_topic_shows_a_goal_under_way(ros2: LocalClient) -> None:
    send(ros2, "g1", 9.0)
    ros2.advance(0.2)
    topic = f"{ACTION}/_action/status"
    ros2.subscribe(topic, "action_msgs/msg/GoalStatusArray")
    [entry] = ros2.messages(topic)[-1]["status_list"]
    assert entry["status"] == 2


def test_types_are_accepted_in_two_and_three_parts(ros2: LocalClient) -> None:
    ros2.subscribe("/a", "std_msgs/String", id="x")
    ros2.publish("/a", "std_msgs/msg/String", {"data": "x"})
    assert ros2.messages("/a") == [{"data": "x"}]


def test_headers_have_no_sequence(ros2: LocalClient) -> None:
    ros2.subscribe("/map", "nav_msgs/msg/OccupancyGrid")
    assert set(ros2.messages("/map")[0]["header"]) == {"stamp", "frame_id"}


def test_a_client_can_offer_an_action_to_others(ros2: LocalClient) -> None:
    kind = "example_interfaces/action/Fibonacci"
    worker = type(ros2)(ros2.simulation, ros2.clock)
    worker.send("advertise_action", action="/count", type=kind)
    ros2.send(
        "send_action_goal",
        id="g",
        action="/count",
        action_type=kind,
        args={"order": 2},
        feedback=True,
    )
    [request] = worker.read()
    assert request["op"] == "send_action_goal"
    assert request["args"] == {"order": 2}
    common = {"id": request["id"], "action": "/count"}
    worker.send("action_feedback", **common, values={"sequence": [0]})
    ros2.send("cancel_action_goal", id="g", action="/count")
    assert [frame["op"] for frame in worker.read()] == ["cancel_action_goal"]
    worker.send(
        "action_result",
        **common,
        values={"sequence": [0, 1]},
        status=CANCELED,
        result=True,
    )
    feedback, result = ros2.read()
    assert feedback["values"] == {"sequence": [0]}
    assert result["values"] == {"sequence": [0, 1]}
    assert (result["id"], result["status"]) == ("g", CANCELED)


def test_a_bare_pose_is_driven_too(ros2: LocalClient) -> None:
    pose = {"position": {"x": 3.0, "y": 1.0}, "orientation": {"w": 1.0}}
    ros2.publish("/robot1/goal_pose", "geometry_msgs/msg/PoseStamped", {"pose": pose})
    ros2.advance(10.0)
    at = ros2.simulation.robots["robot1"].vehicle.pose
    assert at.x_m == pytest.approx(3.0, abs=0.02)


def test_action_operations_are_unknown_to_ros1(client: LocalClient) -> None:
    client.send("set_level", level="error")
    client.send("send_action_goal", id="g", action="/a", action_type="a/B")
    [status] = client.read()
    assert "Unknown operation" in status["msg"]


def test_a_server_as_delivered_reads_nothing_while_a_goal_is_driven(
    stock_ros2: LocalClient,
) -> None:
    send(stock_ros2, "g1", 9.0)
    stock_ros2.send("cancel_action_goal", id="g1", action=ACTION)
    stock_ros2.send("call_service", id="ping", service="/rosapi/get_time")
    stock_ros2.advance(1.0)
    assert not [f for f in stock_ros2.read() if f["op"] == "service_response"]
    other = type(stock_ros2)(stock_ros2.simulation, stock_ros2.clock)
    other.send("cancel_action_goal", id="g1", action=ACTION)
    stock_ros2.advance(0.2)
    assert results(stock_ros2) == [("g1", CANCELED, True)]
    assert [f for f in stock_ros2.heard if f.get("id") == "ping"]


@pytest.mark.parametrize("action", [ACTION, "/nobody"])
def test_a_server_as_delivered_is_silent_about_what_it_refuses(
    stock_ros2: LocalClient, action: str
) -> None:
    stock_ros2.simulation.fault("reject robot1")
    pose = {"header": {"frame_id": "map"}, "pose": {"orientation": {"w": 1.0}}}
    stock_ros2.send(
        "send_action_goal",
        id="g1",
        action=action,
        action_type=KIND,
        args={"pose": pose},
    )
    stock_ros2.advance(3.0)
    assert stock_ros2.read() == []


def test_a_restarted_navigation_forgets_its_goal_and_says_nothing(
    ros2: LocalClient,
) -> None:
    send(ros2, "g1", 9.0)
    ros2.advance(1.0)
    ros2.simulation.fault("restart_navigation robot1 2")
    servers = ros2.call("/rosapi/action_servers")["values"]["action_servers"]
    assert ACTION not in servers
    ros2.advance(3.0)
    assert results(ros2) == []
    servers = ros2.call("/rosapi/action_servers")["values"]["action_servers"]
    assert ACTION in servers
    assert ros2.simulation.robots["robot1"].vehicle.speed_mps == 0.0
