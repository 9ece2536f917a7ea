"""A robot that has a goal and does not drive is told once, and it closes by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.robots.watch_drives import WatchDrives
from mpms.factory.topics.robot_move import MoveRobot
from mpms.services.incidents.close import close_incident
from mpms.services.instances.repair import cancel_instance, suspend_instance
from tests.support.bench import Bench
from tests.support.checkers import Why
from tests.support.factory_worker import of_factory

PATIENCE_S = 60.0
DRIVE = (
    '<startEvent id="begin"/><serviceTask id="drive" camunda:type="external"'
    ' camunda:topic="robot.move"><extensionElements><camunda:inputOutput>'
    '<camunda:inputParameter name="robot">robot1</camunda:inputParameter>'
    '<camunda:inputParameter name="place">A</camunda:inputParameter>'
    "</camunda:inputOutput></extensionElements></serviceTask>"
    '<endEvent id="end"/>'
)
FROZEN = ("stale", "link stale: no answer for 9.0 s")
STOPPED = ("up", "emergency stop")
BLIND = ("up", "emergency stop (front laser: no scan)")
LATE = ("degraded", "link degraded: answers take 2.0 s")
FINE = ("up", None)


class MoodyRobot:
    """Takes goals, says how it is, and arrives when it is told to."""

    def __init__(self) -> None:
        self.mood: tuple[str, str | None] = FINE
        self.goals: list[str] = []
        self.said: dict[str, GoalReport] = {}

    def names(self) -> list[str]:
        return ["robot1"]

    def take(self, robot: str) -> None:
        pass

    def drop(self, robot: str) -> None:
        pass

    def permit(self, until_s: float) -> None:
        pass

    def states(self) -> list[RobotState]:
        link, why_not = self.mood
        return [RobotState("robot1", ready=why_not is None, link=link, why_not=why_not)]

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        self.goals.append(goal.id)

    def cancel(self, goal: Goal) -> None:
        self.say(GoalState.CANCELLED)

    def say(self, state: GoalState, reason: str | None = None) -> None:
        self.said[self.goals[-1]] = GoalReport(self.goals[-1], state, reason)

    def reports(self) -> list[GoalReport]:
        return list(self.said.values())

    def acknowledge(self, goal_id: str) -> None:
        del self.said[goal_id]

    def close(self) -> None:
        pass


class Stopwatch:
    """Time passes when a test says so."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def robot(bench: Bench) -> MoodyRobot:
    bench.handlers.add_inside("robot.move", of_factory(MoveRobot(bench.world)))
    bench.deploy_drawn("trip", DRIVE, "begin drive", "drive end")
    bench.robots = MoodyRobot()
    bench.worker = bench.another_worker("first")
    return bench.robots


@pytest.fixture
def watch(bench: Bench, robot: MoodyRobot) -> Callable[[float], None]:
    """Let seconds pass, then let the worker's watch look."""
    clock = Stopwatch()
    drives = WatchDrives(
        bench.uow, robot, bench.worker.owned, PATIENCE_S, monotonic_s=clock
    )

    def look(seconds: float) -> None:
        drives()
        clock.now_s += seconds
        drives()

    return look


@pytest.mark.parametrize(
    ("mood", "said"),
    [
        (FROZEN, "robot1 does not answer on its way to A"),
        (STOPPED, "robot1 stands on its way to A: emergency stop"),
        (BLIND, "on its way to A: emergency stop (front laser: no scan). Look"),
    ],
)
def test_a_robot_that_does_not_drive_is_told_once_until_it_drives_on(
    bench: Bench,
    robot: MoodyRobot,
    watch: Callable[[float], None],
    mood: tuple[str, str],
    said: str,
) -> None:
    instance_id = bench.start("trip")
    robot.mood = mood
    watch(PATIENCE_S - 1)
    assert bench.incidents() == []
    watch(1)
    (incident,) = bench.incidents()
    assert said in incident.message
    assert (incident.kind, incident.element) == ("robot", "drive")
    assert not incident.retryable
    watch(10 * PATIENCE_S)
    assert [each.id for each in bench.incidents()] == [incident.id]
    assert bench.rows("SELECT count(*) FROM events WHERE kind = 'incident'") == [(1,)]

    robot.mood = FINE
    watch(0)
    assert bench.incidents() == []
    assert bench.rows(
        "SELECT instance_id::text, actor FROM events WHERE kind = 'robot goes on'"
    ) == [(instance_id, "robot1")]
    robot.say(GoalState.REACHED)
    bench.worker.settle()
    assert bench.instance(instance_id).status == "completed"


def test_two_robots_that_are_silent_have_one_cause(
    bench: Bench, robot: MoodyRobot, watch: Callable[[float], None]
) -> None:
    bench.start("trip")
    robot.mood = FROZEN
    watch(PATIENCE_S)
    (incident,) = bench.incidents()
    with bench.uow() as tx:
        tx.incidents.open(
            "robot",
            incident.message.replace("robot1", "robot2"),
            instance_id=incident.instance_id,
        )
    assert {each.cause for each in bench.incidents()} == {incident.cause}


def test_silence_without_a_goal_and_late_answers_are_no_incidents(
    bench: Bench, robot: MoodyRobot, watch: Callable[[float], None]
) -> None:
    bench.worker.settle()
    robot.mood = FROZEN
    watch(PATIENCE_S)
    robot.mood = FINE
    watch(0)
    bench.start("trip")
    robot.mood = LATE
    watch(10 * PATIENCE_S)
    assert bench.incidents() == []


def test_what_was_put_aside_comes_back_while_it_lasts(
    bench: Bench, robot: MoodyRobot, watch: Callable[[float], None]
) -> None:
    bench.start("trip")
    robot.mood = FROZEN
    watch(PATIENCE_S)
    (incident,) = bench.incidents()
    close_incident(bench.uow, incident.id, by="boss", note="somebody is on the way")
    watch(1)
    assert bench.incidents() == []
    watch(PATIENCE_S)
    assert len(bench.incidents()) == 1


def test_a_drive_that_fails_at_last_is_one_incident_that_can_be_tried_again(
    bench: Bench, robot: MoodyRobot, watch: Callable[[float], None]
) -> None:
    bench.start("trip")
    robot.mood = FROZEN
    watch(PATIENCE_S)
    robot.say(GoalState.FAILED, "the goal has expired")
    bench.worker.settle()
    (incident,) = bench.incidents()
    assert (incident.kind, incident.message) == ("goal", "the goal has expired")
    assert incident.retryable
    watch(PATIENCE_S)
    assert [each.kind for each in bench.incidents()] == ["goal"]


def test_nothing_stays_open_when_a_suspended_or_cancelled_process_needs_it_no_more(
    bench: Bench, robot: MoodyRobot, watch: Callable[[float], None]
) -> None:
    why: Why = {"by": "boss", "reason": "a spill"}
    first = bench.start("trip")
    robot.mood = FROZEN
    watch(PATIENCE_S)
    suspend_instance(bench.uow, first, **why)
    robot.say(GoalState.REACHED)
    bench.worker.settle()
    assert bench.incidents() == []
    cancel_instance(bench.uow, bench.advance, first, **why)

    second = bench.start("trip")
    watch(PATIENCE_S)
    assert len(bench.incidents()) == 1
    cancel_instance(bench.uow, bench.advance, second, **why)
    assert bench.incidents() == []


def test_the_next_owner_closes_what_the_last_one_told(
    bench: Bench, robot: MoodyRobot, watch: Callable[[float], None]
) -> None:
    bench.start("trip")
    robot.mood = FROZEN
    watch(PATIENCE_S)
    bench.rows("UPDATE robots SET lease_until = now() - interval '1 second'")
    robot.mood = FINE
    successor = bench.another_worker("second")
    successor.settle()
    assert bench.incidents() == []
