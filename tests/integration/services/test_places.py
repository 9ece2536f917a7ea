"""One robot a place: the second waits beside it, and nobody waits for ever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mpms.adapters.postgres.database.statements import Statements
from mpms.factory.adapters.memory import LoopbackRobots
from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.ports.store import Transaction
from mpms.factory.services.robots.settle_goals import settle_goal
from mpms.factory.services.robots.take_out import take_robot_out
from mpms.factory.services.robots.watch_waits import WatchWaits
from mpms.factory.topics.robot_move import MoveRobot
from tests.support.bench import Bench
from tests.support.factory_worker import of_factory

ROUNDS = 8


def _drive(name: str, place: str) -> str:
    return (
        f'<serviceTask id="{name}" camunda:type="external" camunda:topic="robot.move">'
        "<extensionElements><camunda:inputOutput>"
        '<camunda:inputParameter name="robot">${robot}</camunda:inputParameter>'
        f'<camunda:inputParameter name="place">${{{place}}}</camunda:inputParameter>'
        "</camunda:inputOutput></extensionElements></serviceTask>"
    )


@pytest.fixture
def plant(bench: Bench, request: pytest.FixtureRequest) -> Bench:
    if getattr(request, "param", "spots") == "no spots":
        bench.world = replace(bench.world, waiting={})
    bench.handlers.add_inside("robot.move", of_factory(MoveRobot(bench.world)))
    start, end = '<startEvent id="begin"/>', '<endEvent id="end"/>'
    bench.deploy_drawn(
        "trip", f"{start}{_drive('drive', 'place')}{end}", "begin drive", "drive end"
    )
    work = f'{_drive("drive", "place")}<userTask id="load"/>{_drive("go_on", "later")}'
    ways = ("begin drive", "drive load", "load go_on", "go_on end")
    bench.deploy_drawn("visit", f"{start}{work}{end}", *ways)
    return bench


def visit(bench: Bench, robot: str, place: str, later: str = "home") -> str:
    """A robot of an order goes to a place, is loaded, goes on."""
    instance_id: str = bench.start("visit", robot=robot, place=place, later=later)
    with bench.uow() as tx:
        assert tx.robot_holds.hold(robot, instance_id)
    return instance_id


def reached(bench: Bench, robot: str) -> list[str]:
    rows = bench.rows(
        "SELECT place FROM goals WHERE state = 'reached'"
        f" AND robot = '{robot}' ORDER BY ended_at"
    )
    return [place for (place,) in rows]


def loaded(bench: Bench, instance_id: str) -> None:
    (task,) = bench.forms(instance_id)
    bench.submit(task.task_id, {})


def rounds(bench: Bench) -> None:
    for _ in range(ROUNDS):
        bench.due_now()


def why(bench: Bench, instance_id: str) -> str | None:
    rows = bench.rows(
        f"SELECT last_error FROM jobs WHERE instance_id = '{instance_id}'"
    )
    return rows[0][0] if rows else None


with_and_without_spots = pytest.mark.parametrize(
    "plant", ["spots", "no spots"], indirect=True
)


@with_and_without_spots
def test_the_second_robot_waits_until_the_first_has_left(plant: Bench) -> None:
    first = visit(plant, "robot1", "A")
    second = visit(plant, "robot2", "A")
    rounds(plant)
    assert why(plant, second) == "robot2 waits until robot1 has left A"
    spots = plant.world.waiting
    assert reached(plant, "robot2") == (["A (waiting)"] if spots else [])
    assert plant.elements_of(second).count(("robot waits", "drive")) == 1
    assert plant.incidents() == []
    loaded(plant, first)
    rounds(plant)
    assert reached(plant, "robot1") == ["A", "home"]
    assert reached(plant, "robot2")[-1] == "A"
    assert len(plant.forms(second)) == 1


@with_and_without_spots
def test_two_robots_that_want_each_others_places_both_get_there(plant: Bench) -> None:
    first = visit(plant, "robot1", "A", later="B")
    second = visit(plant, "robot2", "B", later="A")
    loaded(plant, first)
    loaded(plant, second)
    rounds(plant)
    assert plant.instance(first).status == "completed"
    assert plant.instance(second).status == "completed"
    assert reached(plant, "robot1")[-1] == "B"
    assert reached(plant, "robot2")[-1] == "A"


def test_three_robots_in_a_circle_all_get_on(plant: Bench) -> None:
    ways = {"robot1": ("A", "B"), "robot2": ("B", "C"), "robot3": ("C", "A")}
    visits = {r: visit(plant, r, at, later=to) for r, (at, to) in ways.items()}
    for instance_id in visits.values():
        loaded(plant, instance_id)
    rounds(plant)
    for robot, instance_id in visits.items():
        assert plant.instance(instance_id).status == "completed"
        assert reached(plant, robot)[-1] == ways[robot][1]


def test_a_robot_without_work_goes_home_when_its_place_is_wanted(plant: Bench) -> None:
    plant.start("trip", robot="robot1", place="tank")
    second = visit(plant, "robot2", "tank")
    rounds(plant)
    assert reached(plant, "robot1") == ["tank", "home"]
    assert len(plant.forms(second)) == 1


def test_a_wait_that_lasts_is_an_incident_until_the_robot_drives(plant: Bench) -> None:
    first = visit(plant, "robot1", "A")
    second = visit(plant, "robot2", "A")
    WatchWaits(plant.uow, plant.worker.owned, patience_s=0.0)()
    (incident,) = plant.incidents()
    assert incident.instance_id == second
    assert "robot2 waits until robot1 has left A" in incident.message
    loaded(plant, first)
    rounds(plant)
    assert plant.incidents() == []


def test_a_robot_that_was_carried_off_keeps_no_place(plant: Bench) -> None:
    plant.start("trip", robot="robot1", place="A")
    assert isinstance(plant.robots, LoopbackRobots)
    plant.robots.not_ready["robot1"] = "does not answer"
    plant.worker.settle()
    second = visit(plant, "robot2", "A")
    rounds(plant)
    assert plant.forms(second) == []
    take_robot_out(plant.uow, plant.world, "robot1", by="sofia", reason="in the shop")
    plant.rows("UPDATE robots SET link = 'down' WHERE robot = 'robot1'")
    rounds(plant)
    assert len(plant.forms(second)) == 1


class SlowRobots(LoopbackRobots):
    """They take their goals and are on their way."""

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        self.received.append(goal)


def make_slow(plant: Bench) -> SlowRobots:
    robots = SlowRobots(plant.world)
    plant.robots = robots
    plant.worker = plant.another_worker("slow")
    return robots


def test_a_goal_that_is_open_keeps_its_place_before_the_robot_is_there(
    plant: Bench,
) -> None:
    robots = make_slow(plant)
    plant.start("trip", robot="robot1", place="A")
    second = plant.start("trip", robot="robot2", place="A")
    assert why(plant, second) == "robot2 waits for robot1, which drives to A"
    (goal,) = [g for g in robots.received if g.robot == "robot1"]
    robots._report(GoalReport(goal.id, GoalState.FAILED, "a pallet"))
    rounds(plant)
    sent = [g.place for g in robots.received if g.robot == "robot2"]
    assert sent == ["A (waiting)", "A"]
    assert plant.rows("SELECT place FROM goals WHERE state = 'cancelled'") == [
        ("A (waiting)",)
    ]


class InterruptedLook(MoveRobot):
    """Lets something else be committed after so many of the questions of a look."""

    def __init__(
        self, plant: Bench, questions: int, happens: Callable[[], Any]
    ) -> None:
        super().__init__(plant.world)
        self._questions = questions
        self._happens = happens

    def _look(self, tx: Transaction) -> Any:
        asked = 0

        def rows(statements: Statements, name: str, **values: Any) -> Any:
            nonlocal asked
            asked += 1
            if asked == self._questions + 1:
                self._happens()
            return ask(statements, name, **values)

        ask = Statements.rows
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Statements, "rows", rows)
            found = super()._look(tx)
        assert asked > self._questions
        return found


@pytest.mark.parametrize("questions", range(4))
def test_a_robot_that_arrives_while_another_looks_has_its_place(
    plant: Bench, questions: int
) -> None:
    robots = make_slow(plant)
    plant.start("trip", robot="robot1", place="A")
    (goal,) = robots.received
    report = GoalReport(goal.id, GoalState.REACHED)

    def arrive() -> None:
        assert settle_goal(plant.uow, plant.advance, report)

    look = InterruptedLook(plant, questions, arrive)
    plant.handlers.inside["robot.move"] = of_factory(look)
    plant.start_only("trip", robot="robot2", place="A")
    plant.worker._inside_jobs()
    assert plant.rows("SELECT state FROM goals WHERE id = %s", goal.id) == [
        ("reached",)
    ]
    rows = plant.rows("SELECT place FROM goals WHERE robot = 'robot2'")
    assert rows == [("A (waiting)",)]
