"""What goes wrong in silence is named: types, messages, batteries, clocks."""

from __future__ import annotations

import pytest

from robot_bridge import messages
from robot_bridge.messages import Frame
from robot_bridge.profiles import parse_profile
from robot_bridge.reports import (
    Battery,
    CommandState,
    Diagnosis,
    FrameIn,
    Pose,
    Problem,
    Progress,
    Safety,
)
from tests.support.actionlib import Rig, is_goal, make_rig

SUCCEEDED = CommandState.SUCCEEDED


def test_unknown_and_wrong_types_are_reported_by_name(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = rig.robot.type_of
    wrong = {"/battery_state": "", "/odom": "my_msgs/Odom"}
    monkeypatch.setattr(
        rig.robot, "type_of", lambda topic: wrong.get(topic, known(topic))
    )
    rig.ready()
    told = {(each.kind, each.name) for each in rig.of(Problem)}
    assert told == {("unknown_topic", "/battery_state"), ("wrong_type", "/odom")}


def test_a_silent_rosapi_is_named_and_the_robot_stays_unreconciled(rig: Rig) -> None:
    rig.swallow = lambda frame: frame["op"] == "call_service"
    rig.connect()
    rig.run(4)
    assert [each.kind for each in rig.of(Problem)] == ["rosapi_silent"]
    rig.navigate()
    rig.run(2)
    assert rig.goals_sent == []


def test_a_site_without_rosapi_says_so_in_its_profile() -> None:
    data = {
        "name": "plain",
        "dialect": "ros1",
        "driver": "ros1_action",
        "rosapi": False,
        "action": {"name": "move_base", "type": "move_base_msgs/MoveBaseAction"},
        "goal": {"target_pose": "$pose_stamped"},
        "topics": {
            "pose": {"name": "amcl_pose", "type": "geometry_msgs/PoseStamped"},
            "odom": {"name": "odom", "type": "nav_msgs/Odometry", "fresh_s": 1},
        },
    }
    rig = make_rig(parse_profile(data))
    rig.ready().navigate()
    rig.run(5)
    assert [end.state for end in rig.ends] == [SUCCEEDED]
    assert all(frame["op"] != "call_service" for frame in rig.sent)


def test_a_swallowed_goal_is_sent_again_with_the_same_id_and_starts_once(
    rig: Rig,
) -> None:
    lost: list[Frame] = []

    def swallow_the_first(frame: Frame) -> bool:
        if lost or not is_goal(frame):
            return False
        lost.append(frame)
        return True

    rig.ready()
    rig.swallow = swallow_the_first
    rig.navigate()
    rig.run(9)
    assert [frame["msg"]["goal_id"]["id"] for frame in rig.goals_sent] == ["g1", "g1"]
    assert rig.robot.starts == {"g1": 1}
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def test_a_goal_never_taken_is_sent_four_times_and_ends_as_never_started(
    rig: Rig,
) -> None:
    rig.ready()
    rig.swallow = is_goal
    rig.navigate()
    rig.run(20)
    assert len(rig.goals_sent) == 4
    [end] = rig.ends
    assert end.state is CommandState.EXPIRED
    assert "never started" in end.reason


def test_nothing_is_sent_again_where_absence_cannot_be_proved(rig: Rig) -> None:
    rig.ready()
    rig.swallow = lambda frame: frame["op"] == "publish"
    rig.navigate()
    rig.run(20)
    assert len(rig.goals_sent) == 1
    assert [end.state for end in rig.ends] == [CommandState.UNKNOWN]


def test_broken_messages_are_reported_once_and_survived(rig: Rig) -> None:
    rig.ready()
    for message in ({}, {"pose": 3}, None, {"status_list": "no"}):
        for topic in ("/amcl_pose", "/odom", "/move_base/status", "/battery_state"):
            rig.feed(FrameIn({"op": "publish", "topic": topic, "msg": message}))
    rig.feed(FrameIn({"op": "publish"}))
    rig.feed(FrameIn({"op": "nonsense"}))
    kinds = {each.kind for each in rig.of(Problem)}
    assert kinds == {"bad_message"}
    assert len(rig.of(Problem)) <= 5
    rig.navigate()
    rig.run(6)
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def test_a_pose_without_a_quaternion_is_no_pose(rig: Rig) -> None:
    rig.connect()
    zero = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 0.0}
    position = {"x": 9.0, "y": 9.0, "z": 0.0}
    pose = {"pose": {"pose": {"position": position, "orientation": zero}}}
    rig.feed(FrameIn(messages.publish("/amcl_pose", pose)))
    assert rig.of(Pose) == []
    assert rig.of(Problem)[0].kind == "bad_message"


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_goal_that_is_no_place_is_rejected_before_sending(
    rig: Rig, bad: float
) -> None:
    rig.ready()
    rig.navigate("g1", bad, 0.0)
    assert [end.state for end in rig.ends] == [CommandState.REJECTED]
    assert rig.goals_sent == []


def test_an_emergency_stop_is_reported_and_the_goal_stays_active(rig: Rig) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    rig.robot.stuck = True
    rig.feed(FrameIn(messages.publish("/security_stop", {"data": True})))
    rig.feed(FrameIn(messages.publish("/security_stop", {"data": True})))
    rig.run(40)
    assert [each.stopped for each in rig.of(Safety)] == [True]
    assert rig.ends == []
    snapshot = rig.session.snapshot(rig.now)
    assert snapshot.stopped
    assert snapshot.command_state is CommandState.ACTIVE
    assert {p.reason for p in rig.of(Progress) if p.blocked} == {"emergency stop"}
    rig.robot.stuck = False
    rig.feed(FrameIn(messages.publish("/security_stop", {"data": False})))
    rig.run(10)
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def test_what_the_robot_says_is_broken_is_told_once_and_part_by_part(rig: Rig) -> None:
    rig.ready()

    def say(**levels: int) -> None:
        parts = [
            {"name": f"robot1: {name}", "level": level, "message": "no scan"}
            for name, level in levels.items()
        ]
        rig.feed(FrameIn(messages.publish("/diagnostics", {"status": parts})))

    say(base=0, front=2)
    say(front=2)
    say(rear=2, base=1)
    say(front=0)
    say(rear=0)
    assert [each.broken for each in rig.of(Diagnosis)] == [
        (("front", "no scan"),),
        (("front", "no scan"), ("rear", "no scan")),
        (("rear", "no scan"),),
        (),
    ]
    assert not [each for each in rig.of(Problem) if each.kind == "bad_message"]
    rig.feed(FrameIn(messages.publish("/diagnostics", {"status": [{}]})))
    assert rig.of(Problem)[-1].kind == "bad_message"


def test_an_unknown_battery_is_unknown_not_empty(rig: Rig) -> None:
    rig.ready()
    for percentage in (None, 0.42):
        message = {"percentage": percentage, "voltage": 25.1}
        rig.feed(FrameIn(messages.publish("/battery_state", message)))
    assert [each.fraction for each in rig.of(Battery)] == [None, 0.42]


def test_a_robot_with_a_wrong_clock_drives_and_is_complained_about() -> None:
    rig = make_rig(clock_offset_s=-86_400.0)
    rig.ready().navigate()
    rig.run(5)
    assert [end.state for end in rig.ends] == [SUCCEEDED]
    [problem] = rig.of(Problem)
    assert problem.kind == "clock_skew"
    assert "-86400" in problem.text


def test_a_jump_of_the_pose_is_reported(rig: Rig) -> None:
    rig.ready()
    rig.robot.x = 50.0
    rig.run(0.3)
    assert [each.kind for each in rig.of(Problem)] == ["pose_jump"]
