"""Commands of the fleet become goals: straight stretches, one at a time, by keys."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleet.commands import Act, Drive, Stop
from fleet.events import Acted, Blocked, Failed
from fleet.tasks import Action
from fleet.traffic.port import Waypoint
from mpms.factory.domain.goals import Goal, GoalState, Pose
from mpms.factory.services.fleet.wheels import AGAIN_S, MOST_FAILURES, Wheels

HERE = Pose(0.0, 0.0)


def drive(*points: tuple[float, float], yaw: float | None = None) -> Drive:
    return Drive("r", tuple(Waypoint(x, y, 1.0) for x, y in points), yaw)


def one_goal(wheels: Wheels, now: float = 0.0, at: Pose = HERE) -> Goal:
    (goal,) = wheels.next_goals(now, lambda robot: at)
    return goal


def over(goal: Goal, state: GoalState = GoalState.REACHED) -> Goal:
    return replace(goal, state=state, reason="wheels")


def test_a_robot_is_sent_along_the_straight_stretch_at_the_beginning() -> None:
    wheels = Wheels(["r"])
    wheels.take(drive((1.0, 0.0), (2.0, 0.0), (2.0, 1.0), yaw=1.57))
    first = one_goal(wheels)
    assert (first.pose.x_m, first.pose.y_m, first.pose.yaw_rad) == (2.0, 0.0, 0.0)
    assert wheels.next_goals(1.0, lambda robot: HERE) == []
    wheels.ended(2.0, over(first))
    second = one_goal(wheels, at=first.pose)
    assert (second.pose.x_m, second.pose.y_m, second.pose.yaw_rad) == (2.0, 1.0, 1.57)


def test_a_longer_way_lets_the_present_goal_be() -> None:
    wheels = Wheels(["r"])
    wheels.take(drive((1.0, 0.0)))
    goal = one_goal(wheels)
    wheels.take(drive((1.0, 0.0), (2.0, 0.0)))
    assert wheels.to_call_off() == []
    wheels.ended(1.0, over(goal))
    assert one_goal(wheels, at=goal.pose).pose.x_m == 2.0


def test_a_way_there_and_back_is_driven_to_its_end() -> None:
    """A robot that makes way for another one passes the same point twice. The core
    had granted four points and the robot stood, with no goal, for ever."""
    wheels = Wheels(["r"])
    fork, side = (1.0, 0.0), (2.0, 1.0)
    wheels.take(drive((0.5, 0.0), fork))
    goal = one_goal(wheels)
    assert (goal.pose.x_m, goal.pose.y_m) == fork
    wheels.take(drive(fork, side, fork, (1.0, -1.0)))
    wheels.take(drive(side, fork, (1.0, -1.0)))  # it is as good as there
    wheels.ended(1.0, over(goal))
    driven = []
    for now in range(2, 5):
        goal = one_goal(wheels, float(now), goal.pose)
        driven.append((goal.pose.x_m, goal.pose.y_m))
        wheels.ended(float(now), over(goal))
    assert driven == [side, fork, (1.0, -1.0)]
    assert wheels.next_goals(9.0, lambda robot: goal.pose) == []


def test_a_robot_that_meets_something_is_blocked_when_it_has_stopped() -> None:
    wheels = Wheels(["r"])
    wheels.take(drive((3.0, 0.0), (3.0, 3.0)))
    goal = one_goal(wheels)
    wheels.meets("r", 1.5, 0.0)
    assert wheels.to_call_off() == [goal.id]
    after = Wheels(["r"])  # another worker leads
    after.load(wheels.to_dict())
    assert after.to_call_off() == [goal.id]
    stopped = over(goal, GoalState.CANCELLED)
    assert after.ended(1.0, stopped) == [Blocked("r", 1.5, 0.0)]
    assert after.next_goals(2.0, lambda robot: HERE) == [], "it waits for another way"


def test_a_robot_that_got_there_after_all_goes_on() -> None:
    wheels = Wheels(["r"])
    wheels.take(drive((3.0, 0.0), (3.0, 3.0)))
    goal = one_goal(wheels)
    wheels.meets("r", 1.5, 0.0)
    assert wheels.ended(1.0, over(goal)) == []
    assert one_goal(wheels, 2.0, goal.pose).pose.y_m == 3.0


@pytest.mark.parametrize("command", [drive((0.0, 3.0)), Stop("r")])
def test_another_way_and_a_stop_call_the_present_goal_off(
    command: Drive | Stop,
) -> None:
    wheels = Wheels(["r"])
    wheels.take(drive((1.0, 0.0)))
    goal = one_goal(wheels)
    wheels.take(command)
    assert wheels.to_call_off() == [goal.id]
    assert wheels.ended(1.0, over(goal, GoalState.CANCELLED)) == []
    assert wheels.to_call_off() == []


def test_an_action_waits_until_the_robot_stands_and_keeps_its_key() -> None:
    wheels = Wheels(["r"])
    wheels.take(drive((1.0, 0.0)))
    goal = one_goal(wheels)
    wheels.take(Act("r", Action.LOAD, "P-1"))
    wheels.ended(1.0, over(goal))
    act = one_goal(wheels, at=goal.pose)
    assert (act.action, act.package) == ("load", "P-1")
    assert wheels.ended(2.0, over(act, GoalState.UNKNOWN)) == []
    again = one_goal(wheels, now=2.0 + AGAIN_S, at=goal.pose)
    assert again.act_key == act.act_key
    assert again.id != act.id
    assert wheels.ended(9.0, over(again)) == [Acted("r", Action.LOAD, True, "")]
    assert wheels.next_goals(9.0, lambda robot: HERE) == []


def test_a_drive_that_fails_is_tried_again_and_then_the_robot_has_failed() -> None:
    wheels = Wheels(["r"])
    wheels.take(drive((1.0, 0.0)))
    told = []
    for attempt in range(MOST_FAILURES):
        goal = one_goal(wheels, now=attempt * AGAIN_S)
        told += wheels.ended(attempt * AGAIN_S, over(goal, GoalState.FAILED))
    assert told == [Failed("r", "wheels")]


def test_saved_wheels_go_on() -> None:
    wheels, other = Wheels(["r"]), Wheels(["r"])
    wheels.take(drive((1.0, 0.0), (1.0, 1.0)))
    goal = one_goal(wheels)
    other.load(wheels.to_dict())
    assert other.next_goals(0.0, lambda robot: HERE) == []
    other.ended(1.0, over(goal))
    assert one_goal(other, at=goal.pose).pose.y_m == 1.0
