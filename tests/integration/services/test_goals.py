"""Goals: written before they are sent, one owner a robot, a report counts once."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.factory.adapters.memory import LoopbackRobots
from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.robots.settle_goals import settle_goal
from mpms.factory.services.robots.strangers import EndStrangers
from mpms.factory.topics.robot_move import MoveRobot
from mpms.services.instances.repair import cancel_instance, retry_incident
from tests.support.bench import Bench
from tests.support.factory_worker import of_factory

DRIVE = (
    '<startEvent id="begin"/><serviceTask id="drive" camunda:type="external"'
    ' camunda:topic="robot.move"><extensionElements><camunda:inputOutput>'
    '<camunda:inputParameter name="robot">robot1</camunda:inputParameter>'
    '<camunda:inputParameter name="place">${place}</camunda:inputParameter>'
    "</camunda:inputOutput></extensionElements></serviceTask>"
    '<endEvent id="end"/>'
)
WAYS = ("begin drive", "drive end")
NOBODY = World("nobody", places={}, material_places={}, robots=())


class PatientRobots:
    """Robots that take their goals and say nothing until they are asked to."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.handed: list[tuple[str, bool]] = []
        self.cancelled: list[str] = []
        self.said: dict[str, GoalReport] = {}

    def names(self) -> list[str]:
        return ["robot1"]

    def take(self, robot: str) -> None:
        self.taken.append(robot)

    def drop(self, robot: str) -> None:
        self.taken.remove(robot)

    def permit(self, until_s: float) -> None:
        pass

    def states(self) -> list[Any]:
        return []

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        self.handed.append((goal.place, maybe_sent))

    def cancel(self, goal: Goal) -> None:
        self.cancelled.append(goal.place)
        self.say(goal.id, GoalState.CANCELLED)

    def say(self, goal_id: str, state: GoalState, reason: str | None = None) -> None:
        self.said[goal_id] = GoalReport(goal_id, state, reason)

    def reports(self) -> list[GoalReport]:
        return list(self.said.values())

    def acknowledge(self, goal_id: str) -> None:
        del self.said[goal_id]

    def close(self) -> None:
        pass


@pytest.fixture
def robots(bench: Bench) -> PatientRobots:
    bench.handlers.add_inside("robot.move", of_factory(MoveRobot(bench.world)))
    bench.deploy_drawn("trip", DRIVE, *WAYS)
    bench.robots = PatientRobots()
    bench.worker = bench.another_worker("first")
    return bench.robots


def goal_rows(bench: Bench) -> list[tuple[Any, ...]]:
    return bench.rows("SELECT id, place, state FROM goals ORDER BY created_at")


def test_a_goal_is_sent_once_and_its_report_moves_the_process_on(
    bench: Bench, robots: PatientRobots
) -> None:
    instance_id = bench.start("trip", place="A")
    bench.worker.settle()
    assert robots.handed == [("A", False)]
    ((goal_id, place, state),) = goal_rows(bench)
    assert (place, state) == ("A", "sent")
    robots.say(goal_id, GoalState.REACHED)
    bench.worker.settle()
    assert robots.said == {}
    assert bench.instance(instance_id).status == "completed"
    assert bench.variables(instance_id)["position"] == "A"
    repeated = GoalReport(goal_id, GoalState.REACHED)
    assert settle_goal(bench.uow, bench.advance, repeated) is False
    assert bench.left(instance_id).count("drive") == 1


def test_a_report_about_an_unknown_goal_changes_nothing(
    bench: Bench, robots: PatientRobots
) -> None:
    robots.say("never heard of", GoalState.REACHED)
    bench.worker.settle()
    assert robots.said == {}


def test_an_unknown_place_is_an_error_of_the_model(
    bench: Bench, robots: PatientRobots
) -> None:
    bench.start("trip", place="the moon")
    (incident,) = bench.incidents()
    assert "the world has no place 'the moon'" in incident.message
    assert robots.handed == []


def test_an_unknown_robot_is_an_error_of_the_model(
    bench: Bench, robots: PatientRobots
) -> None:
    drive = DRIVE.replace(">robot1<", ">robot99<")
    bench.deploy_drawn("stray", drive, *WAYS)
    bench.start("stray", place="A")
    (incident,) = bench.incidents()
    assert "the world has no robot 'robot99'; there are robot1, " in incident.message
    assert goal_rows(bench) == []


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (False, "robot1 did not reach A: the world has no robot 'robot1'"),
        (True, "Nobody can say whether robot1 reached A (the world has no robot"),
    ],
)
def test_the_drive_of_a_robot_that_a_new_floor_lacks_is_a_named_incident(
    bench: Bench, robots: PatientRobots, *, sent: bool, said: str
) -> None:
    if sent:
        bench.start("trip", place="A")
        bench.worker.settle()
    else:
        robots.states = lambda: [RobotState("robot1", ready=False)]  # type: ignore[method-assign]
        bench.start("trip", place="A")
    assert [state for _, _, state in goal_rows(bench)] == ["sent" if sent else "new"]
    watch = EndStrangers(bench.uow, bench.advance, LoopbackRobots(NOBODY))
    assert not watch(), "a worker speaks with it"
    bench.rows("UPDATE robots SET owner = NULL, lease_until = NULL RETURNING robot")
    watch = EndStrangers(bench.uow, bench.advance, LoopbackRobots(NOBODY))
    assert watch()
    (incident,) = bench.incidents()
    assert said in incident.message


@pytest.mark.parametrize(
    ("state", "reason", "said"),
    [
        (GoalState.FAILED, "a pallet in the way", "a pallet in the way"),
        (GoalState.FAILED, None, "robot1 did not reach A"),
        (GoalState.CANCELLED, None, "robot1 did not reach A"),
        (GoalState.UNKNOWN, "the link was down", "Nobody can say whether robot1"),
    ],
)
def test_a_drive_that_came_to_nothing_can_be_retried_with_a_new_goal(
    bench: Bench,
    robots: PatientRobots,
    state: GoalState,
    reason: str | None,
    said: str,
) -> None:
    instance_id = bench.start("trip", place="A")
    ((goal_id, _, _),) = goal_rows(bench)
    robots.say(goal_id, state, reason)
    bench.worker.settle()
    assert bench.instance(instance_id).status == "active"
    (incident,) = bench.incidents()
    assert incident.kind == "goal"
    assert said in incident.message
    assert robots.handed == [("A", False)]

    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    bench.worker.settle()
    assert robots.handed == [("A", False)] * 2
    old, new = goal_rows(bench)
    assert old[2] == state
    assert new[0] != goal_id
    robots.say(new[0], GoalState.REACHED)
    bench.worker.settle()
    assert bench.instance(instance_id).status == "completed"
    assert bench.incidents() == []


def test_the_drive_of_a_cancelled_process_is_cancelled(
    bench: Bench, robots: PatientRobots
) -> None:
    instance_id = bench.start("trip", place="A")
    cancel_instance(bench.uow, bench.advance, instance_id, by="boss", reason="no")
    bench.worker.settle()
    assert robots.cancelled == ["A"]
    bench.worker.settle()
    assert [state for _, _, state in goal_rows(bench)] == ["cancelled"]
    assert bench.live_rows() == {}


def test_a_goal_that_was_not_sent_before_the_cancel_is_never_sent(
    bench: Bench, robots: PatientRobots
) -> None:
    instance_id = bench.start_only("trip", place="A")
    while not goal_rows(bench):
        bench.worker._inside_jobs()
    cancel_instance(bench.uow, bench.advance, instance_id, by="boss", reason="no")
    bench.worker.settle()
    assert [state for _, _, state in goal_rows(bench)] == ["cancelled"]


def test_the_next_owner_is_handed_what_may_have_been_sent(
    bench: Bench, robots: PatientRobots
) -> None:
    instance_id = bench.start("trip", place="A")
    bench.rows("UPDATE robots SET lease_until = now() - interval '1 second'")
    successor = bench.another_worker("second")
    successor.settle()
    assert robots.handed == [("A", False), ("A", True)]
    ((goal_id, _, _),) = goal_rows(bench)
    robots.say(goal_id, GoalState.REACHED)
    successor.settle()
    assert bench.instance(instance_id).status == "completed"


def test_a_robot_has_one_owner_at_a_time(bench: Bench, robots: PatientRobots) -> None:
    bench.worker.settle()
    second = bench.another_worker("second")
    second.settle()
    assert robots.taken == ["robot1"]
    assert bench.rows("SELECT owner FROM robots") == [("first",)]
    instance_id = bench.start_only("trip", place="A")
    second.settle()
    assert goal_rows(bench)[0][2] == "new"  # it is not for the second to send
    bench.worker.settle()
    assert robots.handed == [("A", False)]
    assert bench.instance(instance_id).status == "active"


def test_a_goal_marked_as_sent_but_never_handed_over_is_found(
    bench: Bench, robots: PatientRobots
) -> None:
    """As after a commit whose answer was lost."""
    bench.worker = bench.another_worker("first", lease_s=60.0)
    bench.start_only("trip", place="A")
    while not goal_rows(bench):
        bench.worker._inside_jobs()
    bench.worker.owned()
    bench.rows("UPDATE goals SET state = 'sent', sent_at = now()")
    for _ in range(20):
        bench.worker.owned._renew_at = 0.0  # a third of the lease is over
        bench.worker.turn()
    assert robots.handed == [("A", True)]


def test_two_drives_of_one_robot_follow_each_other(
    bench: Bench, robots: PatientRobots
) -> None:
    first, second = (bench.start("trip", place=place) for place in ("A", "B"))
    assert robots.handed == [("A", False)]
    ((goal_id, _, _),) = goal_rows(bench)
    assert bench.rows(
        f"SELECT attempts, last_error FROM jobs WHERE instance_id = '{second}'"
    ) == [(0, "robot1 has not ended another drive yet")]
    robots.say(goal_id, GoalState.REACHED)
    bench.worker.settle()
    bench.due_now()
    assert robots.handed == [("A", False), ("B", False)]
    assert bench.instance(first).status == "completed"
