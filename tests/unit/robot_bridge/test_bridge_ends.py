"""A robot has one goal at a time, and each ends once."""

from __future__ import annotations

import copy

import pytest

from robot_bridge import messages
from robot_bridge.messages import Dialect, GoalCode
from robot_bridge.reports import (
    Battery,
    Cancel,
    CommandState,
    FrameIn,
    Problem,
    Progress,
)
from tests.support.actionlib import Rig, make_rig

SUCCEEDED = CommandState.SUCCEEDED


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


@pytest.mark.parametrize("profile", ["move_base", "arco"])
def test_an_empty_battery_is_told_and_the_goal_stays_until_it_is_charged(
    profile: str,
) -> None:
    payload = {"finished": True} if profile == "arco" else {}
    rig = make_rig(profile, payload=payload).ready()
    rig.navigate(expires_in=200.0)
    rig.run(1)
    rig.robot.stuck = True
    empty = {"percentage": 0.0, "voltage": 22.0, "power_supply_status": 2}
    rig.feed(FrameIn(messages.publish("/battery_state", empty)))
    rig.run(40)
    assert rig.of(Battery)[-1].fraction == 0.0
    assert rig.of(Progress)[-1].blocked
    assert rig.ends == []
    rig.robot.stuck = False
    rig.run(6)
    assert [end.state for end in rig.ends] == [SUCCEEDED]
    assert rig.robot.starts == {"g1": 1}
