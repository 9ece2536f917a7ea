"""A goal is followed, or known to be lost, after the link was away."""

from __future__ import annotations

from robot_bridge.messages import GoalCode
from robot_bridge.reports import (
    CommandState,
)
from tests.support.actionlib import Rig

SUCCEEDED = CommandState.SUCCEEDED


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
