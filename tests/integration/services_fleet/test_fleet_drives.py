"""What a process sees of the drives that a fleet makes for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mpms import assets
from mpms.factory.domain.goals import Goal, GoalState
from mpms.factory.services.robots.replay import replay_instance
from mpms.services.instances.repair import cancel_instance, retry_incident
from tests.support.drawings import draw
from tests.support.warehouse_factory import WarehouseFactory

TRIP = (
    '<startEvent id="begin"/><serviceTask id="drive" camunda:type="external"'
    ' camunda:topic="robot.move"><extensionElements><camunda:inputOutput>'
    '<camunda:inputParameter name="robot">${robot}</camunda:inputParameter>'
    '<camunda:inputParameter name="place">${place}</camunda:inputParameter>'
    "</camunda:inputOutput></extensionElements></serviceTask>"
    '<endEvent id="end"/>'
)
EVENTS = "SELECT kind, actor, data FROM events WHERE instance_id = %s ORDER BY id"


@pytest.fixture
def plant(database_url: str) -> Iterator[WarehouseFactory]:
    with WarehouseFactory(database_url) as plant:
        plant.deploy_files(draw("trip", TRIP, "begin drive", "drive end"))
        yield plant


def trip(plant: WarehouseFactory, robot: str, place: str) -> str:
    return plant.start("trip", robot=robot, place=place)


def drives(plant: WarehouseFactory, instance_id: str) -> list[Goal]:
    with plant.uow() as tx:
        return list(tx.goals.of_instance(instance_id))


def ended(plant: WarehouseFactory, instance_id: str) -> Any:
    return lambda: plant.instance(instance_id).status.ended


def told(plant: WarehouseFactory, instance_id: str) -> list[tuple[str, str, Any]]:
    return [row for row in plant.rows(EVENTS, instance_id) if "goal" in row[0]]


def test_a_drive_of_many_stretches_is_one_drive_of_its_process(
    plant: WarehouseFactory,
) -> None:
    plant.breakable.holds = True
    instance_id = trip(plant, "tug1", "A1")
    plant.run_until(lambda: plant.breakable.held)
    (under_way,) = drives(plant, instance_id)
    assert (under_way.robot, under_way.place) == ("tug1", "A1")
    assert under_way.state is GoalState.SENT
    plant.breakable.let_go()
    plant.run_until(ended(plant, instance_id))
    (drive,) = drives(plant, instance_id)
    there = plant.files.world.places["A1"]
    assert drive.state is GoalState.REACHED
    assert (drive.pose.x_m, drive.pose.y_m) == (there.x_m, there.y_m)
    assert drive.sent_at is not None
    stretches = plant.rows("SELECT fleet_task FROM goals WHERE robot = 'tug1'")
    assert len(stretches) > 1
    assert [(kind, who) for kind, who, _ in told(plant, instance_id)] == [
        *(("goal sent", "fleet"), ("goal ended", "tug1"))
    ]
    assert plant.variables(instance_id)["position"] == "A1"
    played = replay_instance(
        plant.uow, plant.advance.engine, plant.world, instance_id, kinds=("goal sent",)
    )
    assert [(d.robot, d.place) for d in played.drives] == [("tug1", "A1")]


def test_home_is_called_home_and_is_the_robots_own(plant: WarehouseFactory) -> None:
    first = trip(plant, "tug2", "B1")
    plant.run_until(ended(plant, first))
    instance_id = trip(plant, "tug2", "home")
    plant.run_until(ended(plant, instance_id))
    (drive,) = drives(plant, instance_id)
    assert drive.place == "home"
    rest = plant.files.world.places[plant.files.world.robots["tug2"].home]
    assert (drive.pose.x_m, drive.pose.y_m) == (rest.x_m, rest.y_m)
    assert plant.variables(instance_id)["position"] == "home"


def test_a_robot_that_waits_for_a_place_says_for_whom(plant: WarehouseFactory) -> None:
    there = trip(plant, "tug1", "out_1")
    plant.run_until(ended(plant, there))
    with plant.uow() as tx:  # as an order does: it keeps its robot there
        tx.robot_holds.hold("tug1", there)
    waits = trip(plant, "tug2", "out_1")
    why = "SELECT why FROM fleet_requests WHERE instance_id = %s AND why IS NOT NULL"
    plant.run_until(lambda: plant.rows(why, waits))
    assert plant.rows(why, waits) == [("tug2 waits until tug1 has left out_1",)]
    assert drives(plant, waits)[0].state is GoalState.NEW
    assert [d for k, _, d in plant.rows(EVENTS, waits) if k == "robot waits"] == [
        {"robot": "tug2", "place": "out_1", "other": "tug1"}
    ]
    with plant.uow() as tx:
        tx.robot_holds.release(there)
    plant.run_until(ended(plant, waits))
    assert plant.rows(why, waits) == []


def test_a_cancelled_process_leaves_nobody_driving_for_it(
    plant: WarehouseFactory,
) -> None:
    plant.breakable.holds = True
    instance_id = trip(plant, "tug1", "A1")
    plant.run_until(lambda: plant.breakable.held)
    cancel_instance(plant.uow, plant.advance, instance_id, by="ada", reason="enough")
    plant.run_until(lambda: drives(plant, instance_id)[0].state.ended)
    plant.breakable.let_go()
    assert drives(plant, instance_id)[0].state is GoalState.CANCELLED
    open_ones = (
        "SELECT id FROM goals WHERE state IN ('new', 'sent') AND fleet_task = %s"
    )
    (task,) = plant.rows("SELECT fleet_task FROM fleet_requests")[0]
    plant.run_until(lambda: not plant.rows(open_ones, task))


@pytest.mark.parametrize(
    ("robot", "place", "why"),
    [
        ("tug99", "A1", "RobotUnknown: the world has no robot 'tug99'; there are tug1"),
        ("tug1", "nowhere", "PlaceUnknown: the world has no place 'nowhere'"),
        ("tug1", "rest_2", "rest_2 is the rest place of tug2"),
    ],
)
def test_a_drive_that_nobody_can_make_is_a_named_incident(
    plant: WarehouseFactory, robot: str, place: str, why: str
) -> None:
    instance_id = trip(plant, robot, place)
    plant.run_until(plant.incidents)
    (incident,) = plant.incidents()
    assert incident.instance_id == instance_id
    assert why in incident.message
    assert plant.rows("SELECT id FROM goals WHERE robot = %s", robot) == []


def test_a_drive_that_comes_to_nothing_is_an_incident_and_is_tried_again(
    plant: WarehouseFactory,
) -> None:
    plant.breakable.broken.add("tug1")
    instance_id = trip(plant, "tug1", "A1")
    plant.run_until(plant.incidents)
    (incident,) = plant.incidents()
    assert (incident.kind, incident.message) == ("goal", "did not reach A1: wheels")
    assert drives(plant, instance_id)[0].state is GoalState.FAILED
    with plant.uow() as tx:
        assert tx.fleet.unfit() == {"tug1": "wheels"}
    plant.breakable.broken.clear()
    retry_incident(plant.uow, plant.advance, incident.id, by="ada")
    plant.run_until(ended(plant, instance_id))
    with plant.uow() as tx:
        assert tx.fleet.unfit() == {}


def test_a_drive_of_a_robot_that_a_person_took_off_work_says_so(
    plant: WarehouseFactory,
) -> None:
    plant.worker = plant.leader("first", patience_s=0.0)
    plant.turn(2)
    assert plant.say("robot failed", robot="tug1", why="smells") is None
    instance_id = trip(plant, "tug1", "A1")
    plant.run_until(plant.incidents)
    assert [i.message for i in plant.incidents()] == [
        "tug1 does not drive to A1: it has failed (smells). The page Fleet lets it"
        " work again."
    ]
    assert plant.say("robot recovered", robot="tug1") is None
    plant.run_until(ended(plant, instance_id))
    assert not plant.incidents()


def test_shipped_worlds_with_a_fleet_are_driven_by_it() -> None:
    folder = assets.directory("worlds")
    fleets = {path.parent.name for path in folder.glob("*/fleet.yaml")}
    assert "paint_factory" in fleets
