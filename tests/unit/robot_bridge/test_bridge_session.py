"""The rules of a robot session, one claim each, on a made-up clock."""

from __future__ import annotations

import copy
from collections import Counter
from importlib import resources
from typing import Any

import pytest
import yaml

from robot_bridge import messages
from robot_bridge.messages import Dialect, Frame, GoalCode
from robot_bridge.profiles import load_profile, parse_profile
from robot_bridge.reports import (
    Action,
    Battery,
    Cancel,
    CommandState,
    Diagnosis,
    FrameIn,
    Link,
    LinkOpened,
    LinkState,
    Navigate,
    Pause,
    Pose,
    Problem,
    Progress,
    Resume,
    Safety,
    Send,
    Tick,
)
from robot_bridge.session import RobotSession
from tests.support.actionlib import Rig, make_rig

SUCCEEDED = CommandState.SUCCEEDED


def states(rig: Rig) -> list[CommandState]:
    seen: list[CommandState] = []
    for each in rig.of(Progress):
        if not seen or seen[-1] is not each.state:
            seen.append(each.state)
    return seen


def is_goal(frame: Frame) -> bool:
    return frame["op"] == "publish" and str(frame["topic"]).endswith("/goal")


@pytest.mark.covers("A11", "A56")
def test_a_goal_runs_through_every_state_and_ends_once(rig: Rig) -> None:
    rig.ready().navigate()
    rig.run(6)
    assert states(rig) == ["NEW", "SENT", "ACTIVE"]
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, False)
    assert end.distance_left_m == pytest.approx(0.0, abs=0.11)
    assert rig.robot.starts == {"g1": 1}


@pytest.mark.covers("A12")
def test_a_goal_message_carries_the_id_the_pose_and_nothing_else(rig: Rig) -> None:
    rig.ready().navigate("task-7/1", 2.0, 1.0)
    [frame] = rig.goals_sent
    assert frame["msg"]["goal_id"]["id"] == "task-7/1"
    assert set(frame["msg"]) == {"header", "goal_id", "goal"}
    assert set(frame["msg"]["goal"]) == {"target_pose"}
    pose = frame["msg"]["goal"]["target_pose"]
    assert pose["pose"]["orientation"] == {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
    assert messages.seconds_of(pose["header"]["stamp"]) == 0.0


def test_nothing_is_published_before_the_link_is_reconciled(rig: Rig) -> None:
    rig.navigate()
    assert rig.sent == []
    rig.connected = True
    rig.feed(LinkOpened())
    assert all(frame["op"] != "publish" for frame in rig.sent)
    rig.run(1)
    assert len(rig.goals_sent) == 1


def test_a_goal_that_waited_too_long_for_the_link_is_expired_not_driven(
    rig: Rig,
) -> None:
    rig.navigate(expires_in=3.0)
    rig.run(4)
    rig.ready()
    rig.run(3)
    assert [end.state for end in rig.ends] == [CommandState.EXPIRED]
    assert rig.goals_sent == []


def test_nothing_is_published_while_the_data_is_late(rig: Rig) -> None:
    rig.ready()
    rig.mute = True
    rig.run(2)
    assert rig.of(Link)[-1].state is LinkState.DEGRADED
    rig.navigate()
    rig.run(2.5)
    assert rig.of(Link)[-1].state is LinkState.STALE
    assert rig.goals_sent == []
    rig.mute = False
    rig.run(9)
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def _is_pose(frame: Frame) -> bool:
    return messages.absolute(str(frame.get("topic"))) == "/amcl_pose"


def _latched_pose(rig: Rig, patch: pytest.MonkeyPatch, *, lost: int) -> None:
    """A standing robot: its pose is said on subscription only, ``lost`` times in
    vain."""
    said = iter(range(100))
    pose = rig.robot.broadcast(rig.now)[1]
    listen, broadcast = rig.robot.receive, rig.robot.broadcast

    def receive(now: float, frame: Any) -> None:
        if frame["op"] == "subscribe" and _is_pose(frame):
            if next(said) >= lost:
                rig.robot.outbox.append(pose)
            return
        listen(now, frame)

    def without_the_pose(now: float) -> list[Frame]:
        return [frame for frame in broadcast(now) if frame["topic"] != "/amcl_pose"]

    patch.setattr(rig.robot, "receive", receive)
    patch.setattr(rig.robot, "broadcast", without_the_pose)


@pytest.mark.covers("A13")
@pytest.mark.parametrize("lost", [0, 1, 3])
def test_a_latched_pose_that_was_lost_is_asked_for_again(
    rig: Rig, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _latched_pose(rig, monkeypatch, lost=lost)
    rig.navigate(expires_in=120.0)
    rig.connect()
    rig.run(30)
    assert rig.of(Link)[-1].reconciled
    assert len(rig.goals_sent) == 1
    asked = [
        frame["op"]
        for frame in rig.sent
        if frame["op"] in ("subscribe", "unsubscribe") and _is_pose(frame)
    ]
    assert asked == ["subscribe"] + ["unsubscribe", "subscribe"] * lost


def test_topics_that_speak_are_subscribed_once(rig: Rig) -> None:
    rig.ready()
    rig.run(60)
    often = Counter(frame["topic"] for frame in rig.sent if frame["op"] == "subscribe")
    assert {often[name] for name in ("/amcl_pose", "/odom", "/move_base/result")} == {1}


def test_a_list_of_goals_that_never_came_is_asked_for_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = False

    def lose_the_first(frame: Any) -> bool:
        nonlocal heard
        first = frame.get("topic") == "/move_base/status" and not heard
        heard = heard or frame["op"] == "unsubscribe"
        return first

    def without_the_list(now: float) -> list[Frame]:
        return [
            frame
            for frame in broadcast(now)
            if heard or frame["topic"] != "/move_base/status"
        ]

    broadcast = rig.robot.broadcast
    rig.swallow = lose_the_first
    monkeypatch.setattr(rig.robot, "broadcast", without_the_list)
    rig.navigate(expires_in=120.0)
    rig.connect()
    rig.run(20)
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def test_link_states_come_in_order_with_their_reason(rig: Rig) -> None:
    rig.feed(Tick())
    rig.ready()
    rig.disconnect()
    told = [(each.state, each.reconciled) for each in rig.of(Link)]
    assert told[0] == (LinkState.DOWN, False)
    assert (LinkState.UP, True) in told
    assert told[-1] == (LinkState.DOWN, False)
    assert rig.of(Link)[-1].reason == "cut"


def test_unanswered_pings_make_the_link_stale_although_data_flows(rig: Rig) -> None:
    rig.ready()
    rig.swallow = lambda frame: frame["op"] == "call_service"
    rig.run(8)
    assert rig.of(Link)[-1].state is LinkState.DEGRADED
    rig.run(6)
    assert rig.of(Link)[-1].state is LinkState.STALE
    assert rig.of(Link)[-1].reason.startswith("no answer for")


# --- silent errors -------------------------------------------------------------


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


# --- one goal at a time --------------------------------------------------------


@pytest.mark.covers("A11")
def test_a_second_goal_is_refused_while_the_first_is_open(rig: Rig) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    rig.navigate("g2", 1.0)
    [end] = rig.ends
    assert (end.command_id, end.state) == ("g2", CommandState.REJECTED)
    assert "g1" in end.reason
    assert len(rig.goals_sent) == 1


def test_the_same_command_twice_is_one_goal_and_later_the_same_end(rig: Rig) -> None:
    rig.ready().navigate()
    rig.navigate()
    rig.run(6)
    rig.navigate()
    assert rig.ends[0] == rig.ends[1]
    assert len(rig.goals_sent) == 1


def test_a_goal_of_somebody_else_is_not_preempted_by_ours(rig: Rig) -> None:
    rig.ready()
    foreign = messages.pose_stamped(Dialect.ROS1, 3.0, 0.0, 0.0, "map")
    goal = messages.action_goal("rviz-1", rig.now, {"target_pose": foreign})
    rig.robot.on_goal(rig.now, goal)
    rig.run(0.5)
    rig.navigate("g1", 0.0, 0.0)
    rig.run(1)
    assert rig.goals_sent == []
    assert [each.kind for each in rig.of(Problem)] == ["foreign_goal"]
    rig.run(8)
    assert rig.robot.preempted_by_new == []
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def test_a_goal_preempted_by_somebody_else_ends_as_cancelled_with_the_cause(
    rig: Rig,
) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    foreign = messages.pose_stamped(Dialect.ROS1, 0.0, 5.0, 0.0, "map")
    goal = messages.action_goal("rviz-1", rig.now, {"target_pose": foreign})
    rig.robot.on_goal(rig.now, goal)
    rig.run(1)
    [end] = rig.ends
    assert end.state is CommandState.CANCELLED
    assert "not ours" in end.reason


# --- ends ----------------------------------------------------------------------


def test_preempting_is_no_end(rig: Rig) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    goal = copy.copy(rig.robot.driven)
    for code in (GoalCode.PREEMPTING, GoalCode.RECALLING, GoalCode.ACTIVE):
        goal.code = code
        rig.feed(FrameIn(rig.robot.result(goal)))
    assert rig.ends == []
    rig.run(10)
    assert [end.state for end in rig.ends] == [SUCCEEDED]


def test_a_cancelled_goal_ends_when_the_robot_says_so(rig: Rig) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    rig.feed(Cancel("g1"))
    assert rig.ends == []
    rig.run(1)
    [end] = rig.ends
    assert (end.state, end.inferred) == (CommandState.CANCELLED, False)
    assert end.reason == "cancelled on request"


def test_a_goal_cancelled_before_sending_is_never_sent(rig: Rig) -> None:
    rig.navigate()
    rig.feed(Cancel("g1"))
    assert [end.state for end in rig.ends] == [CommandState.CANCELLED]
    rig.ready()
    assert rig.goals_sent == []


def test_a_cancel_is_repeated_until_the_robot_hears_it(rig: Rig) -> None:
    rig.ready().navigate("g1", 30.0)
    rig.run(1)
    rig.deaf = True
    rig.feed(Cancel("g1"))
    rig.run(2.5)
    rig.deaf = False
    rig.run(2)
    assert [end.state for end in rig.ends] == [CommandState.CANCELLED]


def test_a_cancel_given_during_an_outage_reaches_the_robot_afterwards(
    rig: Rig,
) -> None:
    rig.ready().navigate("g1", 30.0)
    rig.run(1)
    rig.disconnect()
    rig.feed(Cancel("g1"))
    rig.run(2)
    rig.connect()
    rig.run(3)
    assert [end.state for end in rig.ends] == [CommandState.CANCELLED]


def test_a_recalled_goal_is_cancelled_and_never_started(rig: Rig) -> None:
    rig.ready()
    rig.robot.last_cancel = rig.now + 100
    rig.navigate()
    rig.run(2)
    [end] = rig.ends
    assert end.state is CommandState.CANCELLED
    assert end.reason == "recalled before it started"
    assert rig.robot.starts == {}


def test_a_rejected_goal_is_rejected(rig: Rig) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(0.3)
    rig.robot.finish(rig.now, rig.robot.driven, GoalCode.REJECTED)
    rig.run(0.5)
    assert [end.state for end in rig.ends] == [CommandState.REJECTED]


def test_an_aborted_goal_is_aborted_with_the_distance_left(rig: Rig) -> None:
    rig.ready().navigate("g1", 5.0)
    rig.run(2)
    rig.robot.finish(rig.now, rig.robot.driven, GoalCode.ABORTED)
    rig.run(0.5)
    [end] = rig.ends
    assert end.state is CommandState.ABORTED
    assert end.distance_left_m == pytest.approx(3.0, abs=0.3)


def test_a_duplicate_result_ends_nothing_twice(rig: Rig) -> None:
    rig.ready().navigate()
    rig.run(5)
    done = rig.robot.goals["g1"]
    rig.feed(FrameIn(rig.robot.result(done)))
    rig.navigate("g2", 9.0)
    rig.run(0.5)
    rig.feed(FrameIn(rig.robot.result(done)))
    assert [end.command_id for end in rig.ends] == ["g1"]


def test_a_lost_result_is_inferred_from_the_list() -> None:
    rig = make_rig(publish_results=False)
    rig.ready().navigate()
    rig.run(6)
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)


def test_an_arrival_far_from_the_goal_is_believed_and_complained_about(
    rig: Rig,
) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    rig.robot.finish(rig.now, rig.robot.driven, GoalCode.SUCCEEDED)
    rig.run(0.5)
    assert [end.state for end in rig.ends] == [SUCCEEDED]
    assert "arrived_elsewhere" in {each.kind for each in rig.of(Problem)}


# --- ARCO ----------------------------------------------------------------------


def test_arco_is_believed_when_it_says_finished() -> None:
    rig = make_rig("arco", payload={"finished": True})
    rig.ready().navigate()
    rig.run(5)
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, False)
    assert rig.goals_sent[0]["topic"] == "/Make_Plan/goal"
    assert "global_goal" in rig.goals_sent[0]["msg"]["goal"]


def test_arcos_empty_success_on_a_short_path_is_checked_by_the_pose() -> None:
    rig = make_rig("arco", payload={"finished": False})
    rig.ready().navigate("g1", 0.1)
    rig.run(3)
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)


def test_arcos_empty_success_elsewhere_is_a_failure() -> None:
    rig = make_rig("arco", payload={"finished": False, "not_possible": True})
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    rig.robot.finish(rig.now, rig.robot.driven, GoalCode.SUCCEEDED)
    rig.run(4)
    [end] = rig.ends
    assert end.state is CommandState.ABORTED
    assert end.reason == "the robot found no way"


def test_a_blocked_arco_is_reported_blocked_and_stays_open() -> None:
    rig = make_rig("arco", payload={"finished": True})
    rig.ready().navigate("g1", 9.0)
    rig.run(3)
    rig.robot.stuck = True
    rig.run(25)
    blocked = [each for each in rig.of(Progress) if each.blocked]
    assert blocked
    assert blocked[0].distance_left_m == pytest.approx(6.0, abs=0.3)
    assert rig.ends == []
    rig.robot.stuck = False
    rig.run(10)
    assert [end.state for end in rig.ends] == [SUCCEEDED]
    assert rig.of(Progress)[-1].blocked is False


# --- safety, battery, clocks ---------------------------------------------------


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


# --- outages -------------------------------------------------------------------


def test_after_a_short_outage_the_same_goal_is_followed(rig: Rig) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    rig.disconnect()
    rig.run(2)
    rig.connect()
    rig.run(10)
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, False)
    assert rig.robot.starts == {"g1": 1}
    assert len(rig.goals_sent) == 1


def test_a_goal_that_ended_in_a_short_outage_is_read_from_the_list(rig: Rig) -> None:
    rig.ready().navigate("g1", 3.0)
    rig.run(1)
    rig.disconnect()
    rig.run(4)
    rig.connect()
    rig.run(3)
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)


def test_a_goal_forgotten_in_a_long_outage_is_inferred_from_the_pose(rig: Rig) -> None:
    rig.ready().navigate("g1", 3.0)
    rig.run(1)
    rig.disconnect()
    rig.run(30)
    rig.connect()
    rig.run(5)
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)
    assert rig.robot.starts == {"g1": 1}


def test_a_goal_forgotten_elsewhere_is_unknown_and_never_driven_again(
    rig: Rig,
) -> None:
    rig.ready().navigate("g1", 9.0)
    rig.run(1)
    rig.disconnect()
    rig.robot.finish(rig.now, rig.robot.driven, GoalCode.ABORTED)
    rig.run(30)
    rig.connect()
    rig.run(10)
    assert [end.state for end in rig.ends] == [CommandState.UNKNOWN]
    assert len(rig.goals_sent) == 1


# --- the other drivers ---------------------------------------------------------


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


# --- other orders --------------------------------------------------------------


def test_a_robot_pauses_and_resumes_with_its_goal_open(rig: Rig) -> None:
    rig.ready().navigate("g1", 5.0)
    rig.run(1)
    rig.feed(Pause())
    rig.run(5)
    assert rig.robot.x < 2.0
    assert rig.session.snapshot(rig.now).command_state is CommandState.ACTIVE
    rig.feed(Resume())
    rig.run(8)
    states = {end.command_id.split("/")[0]: end.state for end in rig.ends}
    assert states == {"pause": SUCCEEDED, "resume": SUCCEEDED, "g1": SUCCEEDED}


def lifting(**call: Any) -> Any:
    data = yaml.safe_load(
        (resources.files("robot_bridge") / "profiles/move_base.yaml").read_text()
    )
    data["actions"] = {"lift": {"type": "my_msgs/Lift", **call}}
    return parse_profile(data)


def test_an_action_is_called_once_and_ends_with_the_answer() -> None:
    rig = make_rig(lifting(service="lift", message={"height_m": 0.1}))
    rig.ready()
    rig.feed(Action("a1", "lift", rig.now + 5, {"speed": 2}))
    [call] = [f for f in rig.sent if f.get("service") == "/lift"]
    assert call["args"] == {"height_m": 0.1, "speed": 2}
    refused = messages.service_response("/lift", call["id"], "no load", False)
    rig.feed(FrameIn(refused))
    [end] = [end for end in rig.ends if end.command_id == "a1"]
    assert (end.state, end.reason) == (CommandState.ABORTED, "no load")


def test_an_action_without_an_answer_is_unknown_and_not_called_again() -> None:
    rig = make_rig(lifting(service="lift"))
    rig.ready()
    rig.swallow = lambda frame: frame.get("service") == "/lift"
    rig.feed(Action("a1", "lift", rig.now + 5))
    rig.run(11)
    rig.feed(Action("a2", "lift", rig.now + 5))
    rig.disconnect()
    ends = [(end.command_id, end.state) for end in rig.ends]
    assert ends == [("a1", CommandState.UNKNOWN), ("a2", CommandState.UNKNOWN)]
    assert len([f for f in rig.sent if f.get("service") == "/lift"]) == 2


def test_an_action_by_topic_is_published_once_and_inferred() -> None:
    rig = make_rig(lifting(topic="lift"))
    rig.feed(Action("a1", "lift", rig.now + 5))
    rig.ready()
    [end] = rig.ends
    assert (end.state, end.inferred) == (SUCCEEDED, True)


def test_a_robot_without_pause_says_so() -> None:
    rig = make_rig("move_base_simple")
    rig.ready()
    rig.feed(Pause())
    assert rig.of(Problem)[-1].kind == "no_pause"


def test_an_unknown_action_is_refused_by_name(rig: Rig) -> None:
    rig.ready()
    rig.feed(Action("a1", "lift", rig.now + 5))
    [end] = rig.ends
    assert end.state is CommandState.REJECTED
    assert "lift" in end.reason
