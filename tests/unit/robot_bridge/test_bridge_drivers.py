"""Robots that take their goal by a topic or by an action of ROS 2."""

from __future__ import annotations

from typing import Any

import pytest

from robot_bridge import messages
from robot_bridge.messages import Dialect
from robot_bridge.profiles import load_profile
from robot_bridge.reports import (
    CommandState,
    FrameIn,
    LinkOpened,
    Navigate,
    Send,
    Tick,
)
from robot_bridge.session import RobotSession
from tests.support.actionlib import is_goal, make_rig

SUCCEEDED = CommandState.SUCCEEDED


def test_a_topic_robot_arrives_by_inference_and_gets_its_goal_once() -> None:
    rig = make_rig("move_base_simple")
    seen: list[Any] = []

    def take(frame: dict[str, Any]) -> bool:
        if is_goal(frame):
            seen.append(frame)
            stamped = {"goal_id": messages.goal_id("own", rig.now)}
            rig.robot.on_goal(
                rig.now, stamped | {"goal": {"target_pose": frame["msg"]}}
            )
        return False

    rig.swallow = take
    rig.ready().navigate("g1", 3.0)
    rig.run(8)
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)
    assert len(seen) == 1
    assert seen[0]["topic"] == "/move_base_simple/goal"


def test_a_topic_robot_that_may_have_its_goal_does_not_get_it_again() -> None:
    rig = make_rig("move_base_simple")
    rig.ready().navigate("g1", 3.0, maybe_sent_at=rig.now - 1)
    rig.run(10)
    assert [end.state for end in rig.ends] == [CommandState.UNKNOWN]
    assert rig.goals_sent == []


class Nav2:
    """Feeds a ROS 2 session by hand."""

    def __init__(self) -> None:
        self.session = RobotSession(load_profile("nav2"), "r1")
        self.now = 1_700_000_000.0
        self.sent: list[dict[str, Any]] = []
        self.reports: list[Any] = []
        self.x, self.speed = 0.0, 0.0
        self.feed(LinkOpened())
        self.run(1)

    def feed(self, event: Any) -> None:
        for out in self.session.handle(self.now, event):
            if not isinstance(out, Send):
                self.reports.append(out)
                continue
            self.sent.append(out.frame)
            if out.frame["op"] == "call_service":
                self.answer(out.frame)

    def answer(self, frame: dict[str, Any]) -> None:
        values: dict[str, Any] = {"time": {"sec": int(self.now), "nanosec": 0}}
        if "topic" in frame["args"]:
            specs = self.session._specs
            values = {"type": specs[frame["args"]["topic"]].type}
        elif "service" in frame["args"]:
            values = {"type": "std_srvs/srv/SetBool"}
        response = messages.service_response(frame["service"], frame["id"], values)
        self.feed(FrameIn(response))

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            self.now += 0.1
            self.x += self.speed * 0.1
            pose = {
                "header": messages.header(Dialect.ROS2, self.now, "map"),
                "pose": {"pose": messages.pose(self.x, 0.0, 0.0)},
            }
            zero = {"x": 0.0, "y": 0.0, "z": 0.0}
            twist = {"linear": {**zero, "x": self.speed}, "angular": zero}
            self.feed(FrameIn(messages.publish("/amcl_pose", pose)))
            odom = pose | {"twist": {"twist": twist}}
            self.feed(FrameIn(messages.publish("/odom", odom)))
            self.feed(Tick())

    def navigate(self, x: float, maybe: float | None = None) -> None:
        self.feed(Navigate("g1", x, 0.0, 0.0, self.now + 60, None, maybe))

    def ops(self, op: str) -> list[dict[str, Any]]:
        return [frame for frame in self.sent if frame["op"] == op]

    @property
    def ends(self) -> list[Any]:
        return [each for each in self.reports if type(each).__name__ == "Ended"]


def result(status: int, ok: bool = True) -> dict[str, Any]:
    return {
        "op": "action_result",
        "action": "/navigate_to_pose",
        "id": "g1",
        "values": {},
        "status": status,
        "result": ok,
    }


def test_a_ros2_goal_is_spelled_acknowledged_by_feedback_and_ended_by_result() -> None:
    nav2 = Nav2()
    nav2.navigate(2.0)
    [goal] = nav2.ops("send_action_goal")
    assert goal["action_type"] == "nav2_msgs/action/NavigateToPose"
    assert goal["id"] == "g1"
    assert goal["args"]["pose"]["header"]["stamp"] == {"sec": 0, "nanosec": 0}
    assert "seq" not in goal["args"]["pose"]["header"]
    feedback = {
        "op": "action_feedback",
        "action": "/navigate_to_pose",
        "id": "g1",
        "values": {"distance_remaining": 1.8},
    }
    nav2.feed(FrameIn(feedback))
    nav2.x = 2.0
    nav2.run(0.5)
    nav2.feed(FrameIn(result(4)))
    [end] = nav2.ends
    assert (end.state, end.inferred) == (SUCCEEDED, False)
    types = {frame["type"] for frame in nav2.ops("subscribe")}
    assert "nav_msgs/msg/Odometry" in types


@pytest.mark.parametrize(
    ("frame", "state"),
    [
        (result(5), CommandState.CANCELLED),
        (result(6), CommandState.ABORTED),
        (result(0, ok=False), CommandState.REJECTED),
    ],
)
def test_ros2_results_map_to_states(frame: dict[str, Any], state: CommandState) -> None:
    nav2 = Nav2()
    nav2.navigate(2.0)
    nav2.feed(FrameIn(frame))
    assert [end.state for end in nav2.ends] == [state]


def test_a_ros2_goal_is_never_sent_twice_not_even_unacknowledged() -> None:
    nav2 = Nav2()
    nav2.navigate(5.0)
    nav2.run(20)
    assert len(nav2.ops("send_action_goal")) == 1
    assert nav2.ops("cancel_action_goal")
    assert [end.state for end in nav2.ends] == [CommandState.UNKNOWN]


def test_a_ros2_robot_is_followed_by_pose_after_a_takeover() -> None:
    nav2 = Nav2()
    nav2.speed = 1.0
    nav2.navigate(2.0, maybe=nav2.now - 60)
    nav2.run(2)
    nav2.speed = 0.0
    nav2.run(3)
    assert nav2.ops("send_action_goal") == []
    [end] = nav2.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)
