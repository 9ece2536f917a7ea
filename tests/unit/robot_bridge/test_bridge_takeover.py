"""A new process and a goal that an earlier one may have sent."""

from __future__ import annotations

from typing import Any

import pytest

from robot_bridge import messages
from robot_bridge.messages import Dialect, GoalCode
from robot_bridge.reports import Cancel, CommandState, Problem
from robot_bridge.takeover import FenceLine
from tests.support.actionlib import Rig, make_rig


def earlier_copy(rig: Rig, x: float = 3.0, sent_ago: float = 0.0) -> dict[str, Any]:
    pose = messages.pose_stamped(Dialect.ROS1, x, 0.0, 0.0, "map")
    return messages.action_goal("g1", rig.now - sent_ago, {"target_pose": pose})


def test_a_goal_listed_as_active_is_followed_and_not_sent(rig: Rig) -> None:
    rig.robot.on_goal(rig.now, earlier_copy(rig))
    rig.navigate(maybe_sent_at=rig.now - 1)
    rig.ready()
    rig.run(6)
    [end] = rig.ends
    assert (end.state, end.inferred) == (CommandState.SUCCEEDED, False)
    assert rig.goals_sent == []


@pytest.mark.parametrize(
    ("code", "state"),
    [
        (GoalCode.SUCCEEDED, CommandState.SUCCEEDED),
        (GoalCode.ABORTED, CommandState.ABORTED),
        (GoalCode.PREEMPTED, CommandState.CANCELLED),
        (GoalCode.RECALLED, CommandState.CANCELLED),
        (GoalCode.REJECTED, CommandState.REJECTED),
    ],
)
def test_a_goal_listed_as_ended_ends_by_the_list(
    rig: Rig, code: GoalCode, state: CommandState
) -> None:
    rig.robot.on_goal(rig.now, earlier_copy(rig))
    rig.robot.finish(rig.now, rig.robot.driven, code)
    rig.navigate(maybe_sent_at=rig.now - 1)
    rig.ready()
    rig.run(3)
    [end] = rig.ends
    assert (end.state, end.inferred) == (state, True)
    assert rig.goals_sent == []


def test_a_goal_never_sent_is_sent_inside_the_window(rig: Rig) -> None:
    rig.navigate(maybe_sent_at=rig.now)
    rig.ready()
    rig.run(6)
    assert len(rig.goals_sent) == 1
    assert [end.state for end in rig.ends] == [CommandState.SUCCEEDED]


def test_outside_the_window_it_is_held_for_the_operator(rig: Rig) -> None:
    rig.navigate(maybe_sent_at=rig.now - 4.6)
    rig.ready()
    rig.run(6)
    assert rig.goals_sent == []
    [end] = rig.ends
    assert (end.state, end.inferred) == (CommandState.UNKNOWN, True)


def test_outside_the_window_a_robot_at_the_goal_has_arrived_by_inference() -> None:
    rig = make_rig(x=3.0)
    rig.navigate(maybe_sent_at=rig.now - 60)
    rig.ready()
    rig.run(6)
    [end] = rig.ends
    assert (end.state, end.inferred) == (CommandState.SUCCEEDED, True)
    assert rig.goals_sent == []


def test_a_send_in_our_future_proves_nothing(rig: Rig) -> None:
    rig.navigate(maybe_sent_at=rig.now + 1)
    rig.ready()
    rig.run(6)
    assert rig.goals_sent == []
    assert [end.state for end in rig.ends] == [CommandState.UNKNOWN]


def test_a_copy_in_flight_that_arrives_after_the_drive_is_recalled(rig: Rig) -> None:
    copy = earlier_copy(rig)
    rig.navigate(maybe_sent_at=rig.now)
    rig.ready()
    rig.run(12)
    assert rig.robot.starts == {"g1": 1}
    rig.robot.on_goal(rig.now, copy)
    rig.run(5)
    assert rig.robot.starts == {"g1": 1}


def test_a_copy_in_flight_cannot_take_the_robot_from_its_next_goal(rig: Rig) -> None:
    copy = earlier_copy(rig, x=-50.0, sent_ago=30.0)
    rig.navigate(maybe_sent_at=rig.now - 30)
    rig.ready()
    rig.run(6)
    assert [end.state for end in rig.ends] == [CommandState.UNKNOWN]
    rig.navigate("g2", 5.0)
    rig.run(1)
    rig.robot.on_goal(rig.now, copy)
    rig.run(6)
    assert rig.robot.preempted_by_new == []
    assert rig.ends[-1].state is CommandState.SUCCEEDED


def test_a_copy_that_arrives_while_the_fence_is_raised_starts_at_most_once(
    rig: Rig,
) -> None:
    copy = earlier_copy(rig, x=30.0)
    rig.navigate(x=30.0, maybe_sent_at=rig.now)
    late: list[Any] = []

    def arrive(frame: dict[str, Any]) -> bool:
        if frame["op"] == "publish" and not late:
            late.append(frame)
            rig.robot.on_goal(rig.now, copy)
        return False

    rig.swallow = arrive
    rig.ready()
    rig.run(15)
    assert rig.robot.starts == {"g1": 1}
    [end] = rig.ends
    assert end.state is CommandState.CANCELLED
    assert end.reason == "called back while its fate was in doubt"


def test_a_taken_over_goal_can_be_cancelled_without_being_driven(rig: Rig) -> None:
    rig.navigate(maybe_sent_at=rig.now - 1)
    rig.feed(Cancel("g1"))
    rig.ready()
    rig.run(5)
    assert [end.state for end in rig.ends] == [CommandState.CANCELLED]
    assert rig.robot.starts == {}


def test_a_proven_goal_past_its_expiry_is_expired(rig: Rig) -> None:
    rig.navigate(maybe_sent_at=rig.now, expires_in=0.5)
    rig.ready()
    rig.run(4)
    assert [end.state for end in rig.ends] == [CommandState.EXPIRED]
    assert rig.robot.starts == {}


def test_goals_are_always_stamped_above_the_last_fence() -> None:
    line = FenceLine("r1")
    first = line.raise_fence(100.0)
    assert line.goal_stamp(100.1) > first.stamp_s
    second = line.raise_fence(100.1)
    assert second.stamp_s > first.stamp_s
    assert second.sentinel != first.sentinel
    assert line.goal_stamp(500.0) == 500.0


@pytest.mark.parametrize("offset_s", [-3600.0, 3600.0])
def test_a_wrong_clock_of_the_robot_recalls_no_goal_of_ours_or_of_others(
    offset_s: float,
) -> None:
    """Others stamp by the robot's clock, and so do we: a fence of ours does not reach
    the goals that they give later, and a recall of theirs does not reach ours."""
    rig = make_rig(clock_offset_s=offset_s)
    rig.ready()
    rig.navigate("g1", maybe_sent_at=rig.now - 1.0)  # raises a fence
    rig.run(8)
    assert [end.state for end in rig.ends] == [CommandState.SUCCEEDED]
    robot_time = rig.now + offset_s
    theirs = messages.action_goal(
        "/rviz-1-5.0",
        robot_time,
        {"target_pose": messages.pose_stamped(Dialect.ROS1, 0.0, 0.0, 0.0, "map")},
    )
    rig.robot.on_goal(rig.now, theirs)
    rig.run(6)
    assert rig.robot.starts["/rviz-1-5.0"] == 1
    assert rig.robot.outcome["/rviz-1-5.0"] == GoalCode.SUCCEEDED
    everything = messages.goal_id("", rig.now + offset_s)
    rig.robot.on_cancel(rig.now, everything)  # of another client, by its clock
    rig.run(0.5)
    rig.navigate("g2", 1.0)
    rig.run(6)
    assert [end.state for end in rig.ends][-1] is CommandState.SUCCEEDED
    assert rig.robot.starts["g2"] == 1
    assert any(p.kind == "clock_skew" for p in rig.of(Problem))
