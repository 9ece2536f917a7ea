"""What is said of a robot is so: sent, driven by others, tried again now or refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.domain.errors import RepairRefused
from mpms.factory.domain.goals import GoalState
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.robots.expire_goals import (
    RETRIED_WAIT_S,
    WAIT_S,
    ExpireGoals,
)
from mpms.factory.services.robots.watch_drives import WatchDrives
from mpms.factory.topics.robot_move import MoveRobot
from mpms.services.instances.repair import retry_incident
from tests.integration.services.test_watch_drives import (
    DRIVE,
    FINE,
    MoodyRobot,
    Stopwatch,
)
from tests.support.bench import Bench
from tests.support.factory_worker import of_factory

AWAY = ("down", "does not answer: the connection was lost")


@pytest.fixture
def robot(bench: Bench) -> MoodyRobot:
    bench.handlers.add_inside("robot.move", of_factory(MoveRobot(bench.world)))
    bench.deploy_drawn("trip", DRIVE, "begin drive", "drive end")
    bench.robots = MoodyRobot()
    bench.worker = bench.another_worker("first")
    return bench.robots


@pytest.fixture
def expire(bench: Bench, robot: MoodyRobot) -> Callable[[float], None]:
    """Let seconds pass for goals that wait."""
    clock = Stopwatch()
    goals = ExpireGoals(
        bench.uow, bench.advance, robot, bench.worker.owned, monotonic_s=clock
    )

    def wait(seconds: float) -> None:
        goals()
        clock.now_s += seconds
        goals()

    return wait


def sent(bench: Bench) -> int:
    ((count,),) = bench.rows("SELECT count(*) FROM events WHERE kind = 'goal sent'")
    return int(count)


def test_a_goal_counts_as_sent_when_its_robot_can_take_it(
    bench: Bench, robot: MoodyRobot
) -> None:
    robot.mood = AWAY
    bench.start("trip")
    bench.worker.settle()
    assert (sent(bench), robot.goals) == (0, [])
    assert bench.rows("SELECT state, sent_at FROM goals") == [("new", None)]
    robot.mood = FINE
    bench.worker.settle()
    assert (sent(bench), len(robot.goals)) == (1, 1)


def test_a_goal_that_waits_for_its_robot_is_an_incident_and_expires(
    bench: Bench, robot: MoodyRobot, expire: Callable[[float], None]
) -> None:
    robot.mood = AWAY
    bench.start("trip")
    bench.worker.settle()
    WatchDrives(bench.uow, robot, bench.worker.owned, 0.0)()
    (incident,) = bench.incidents()
    assert "has not been sent to A yet: does not answer" in incident.message
    expire(WAIT_S - 1)
    assert [each.kind for each in bench.incidents()] == ["robot"]
    expire(WAIT_S)
    (incident,) = bench.incidents()
    assert incident.kind == "goal"
    assert "was not sent" in incident.message
    assert sent(bench) == 0


def test_there_is_nothing_to_retry_of_a_robot_that_does_not_answer(
    bench: Bench, robot: MoodyRobot
) -> None:
    """Its goal is still open: tried again, it would be driven a second time later."""
    bench.start("trip")
    bench.worker.settle()
    robot.mood = AWAY
    WatchDrives(bench.uow, robot, bench.worker.owned, 0.0)()
    (incident,) = bench.incidents()
    with pytest.raises(RepairRefused, match="nothing to try again"):
        retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    robot.mood = FINE
    robot.say(GoalState.REACHED)
    bench.worker.settle()
    bench.worker.settle()
    assert len(robot.goals) == 1
    assert bench.rows("SELECT count(*) FROM goals") == [(1,)]


def test_a_drive_is_tried_again_now_or_not_at_all(
    bench: Bench, robot: MoodyRobot, expire: Callable[[float], None]
) -> None:
    bench.start("trip")
    bench.worker.settle()
    robot.say(GoalState.UNKNOWN, "no trace")
    robot.mood = AWAY
    bench.worker.owned()
    bench.worker.settle()
    (incident,) = bench.incidents()
    with bench.uow() as tx:
        tx.robots.report(
            [RobotState("robot1", ready=False, link="down", why_not=AWAY[1])],
            worker=bench.worker.owned.worker,
        )
    with pytest.raises(RepairRefused, match="robot1 cannot drive now: does not answer"):
        retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    assert [each.id for each in bench.incidents()] == [incident.id]

    with bench.uow() as tx:
        ready = RobotState("robot1", ready=True)
        tx.robots.report([ready], worker=bench.worker.owned.worker)
    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    bench.worker.settle()  # it went away between the two
    assert len(robot.goals) == 1
    expire(RETRIED_WAIT_S)
    (again,) = bench.incidents()
    assert "was not sent" in again.message
    robot.mood = FINE
    bench.worker.settle()
    assert len(robot.goals) == 1


def test_a_foreign_goal_that_drives_the_robot_is_told_at_once_with_its_client(
    bench: Bench, robot: MoodyRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.start("trip")
    bench.worker.settle()
    driven = RobotState(
        "robot1", ready=False, why_not="/rviz drives it", foreign="/rviz"
    )
    monkeypatch.setattr(robot, "states", lambda: [driven])
    WatchDrives(bench.uow, robot, bench.worker.owned, 60.0)()
    (incident,) = bench.incidents()
    assert "robot1 is driven by /rviz" in incident.message
