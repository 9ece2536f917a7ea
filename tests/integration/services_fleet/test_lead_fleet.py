"""The fleet between PostgreSQL and robots: asked by processes, led by one worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import Cancel
from mpms.factory.domain.fleet_requests import RequestKind
from mpms.factory.services.fleet.watch_requests import WatchRequests
from tests.support.warehouse_factory import WarehouseFactory, warehouse_files


@pytest.fixture
def plant(database_url: str) -> Iterator[WarehouseFactory]:
    with WarehouseFactory(database_url) as plant:
        yield plant


def is_done(plant: WarehouseFactory, instance_id: str) -> bool:
    return plant.instance(instance_id).status is InstanceStatus.COMPLETED


@pytest.mark.covers("W8")
def test_a_process_stores_a_package_and_another_gets_it_back(
    plant: WarehouseFactory,
) -> None:
    stored = plant.start("store_package")
    place = {"package": "N-1", "package_type": "pallet", "place": "in_1"}
    plant.answer(stored, {**place, "placed_by_hand": True})
    plant.run_until(lambda: is_done(plant, stored))
    where = plant.variables(stored)["storage_place"]
    assert where in plant.files.world.storage
    assert plant.lead.fleet is not None
    assert plant.lead.fleet.storage.package_at(where) == ("N-1", "pallet")

    fetched = plant.start("retrieve_package")
    plant.answer(fetched, {"package_type": "pallet", "place": "out_1"})
    plant.run_until(lambda: plant.forms(fetched))
    variables = plant.variables(fetched)
    assert variables["robot"].startswith("lifter"), "only they carry pallets"
    plant.answer(fetched, {"taken_by_hand": True})
    plant.run_until(lambda: is_done(plant, fetched))
    plant.turn(3)
    assert "out_1" in plant.lead.fleet.storage.information().free_output


def test_a_retrieval_waits_for_stock(plant: WarehouseFactory) -> None:
    for number in range(3):  # two pallets are there
        plant.ask(
            f"get{number}",
            RequestKind.RETRIEVE,
            package_type="pallet",
            place=f"out_{number % 2 + 1}",
        )
    plant.run_until(plant.ended("get0", "get1"))
    assert plant.say("detected", place="out_1", present=False) is None
    plant.turn(20)
    assert plant.request("get2")[0] == "open"
    plant.ask(
        "put", RequestKind.STORE, package="N-1", package_type="pallet", place="in_1"
    )
    plant.run_until(plant.ended("put", "get2"))
    assert plant.request("get2")[2]["package"] == "N-1"


def test_what_cannot_be_done_goes_to_a_person_with_the_reason(
    plant: WarehouseFactory,
) -> None:
    instance_id = plant.start("fetch_shelf")
    asked = {"shelf": "S-1", "from_place": "nowhere", "station": "station_1"}
    plant.answer(instance_id, asked)
    plant.run_until(lambda: plant.forms(instance_id))
    (task,) = plant.forms(instance_id)
    assert task.form == "transport_failed"
    assert (
        "there is no place 'nowhere'" in plant.variables(instance_id)["error_message"]
    )
    plant.answer(instance_id, {"again": "no"})
    plant.run_until(lambda: is_done(plant, instance_id))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (
            {"package_type": "piano", "place": "in_1"},
            "there is no package type 'piano'",
        ),
        ({"package_type": "pallet", "place": "A1"}, "there is no input 'A1'"),
    ],
)
def test_a_demand_that_no_storage_knows_fails(
    plant: WarehouseFactory, data: dict[str, str], why: str
) -> None:
    plant.ask("put", RequestKind.STORE, package="N-1", **data)
    plant.turn(2)
    state, told, _ = plant.request("put")
    assert (state, why in str(told)) == ("failed", True)


def test_a_package_that_is_there_already_is_not_taken_in_again(
    plant: WarehouseFactory,
) -> None:
    plant.ask(
        "put", RequestKind.STORE, package="P-1", package_type="small_box", place="in_1"
    )
    plant.turn(2)
    assert plant.request("put")[0] == "failed"
    assert "P-1 is known already" in str(plant.request("put")[1])


def test_a_shelf_comes_to_the_station_and_goes_back(plant: WarehouseFactory) -> None:
    instance_id = plant.start("pick_at_station")
    asked = {"shelf": "S-1", "from_place": "shelf_1", "station": "station_1"}
    plant.answer(instance_id, {"item": "screws", "amount": 3, **asked})
    plant.run_until(lambda: plant.forms(instance_id))
    plant.answer(instance_id, {"picked": 3})
    plant.run_until(lambda: is_done(plant, instance_id))
    acts = plant.rows("SELECT action FROM goals WHERE action <> 'drive' ORDER BY id")
    assert sorted(action for (action,) in acts) == ["drop", "drop", "lift", "lift"]


def test_a_cancelled_process_gives_its_output_free(plant: WarehouseFactory) -> None:
    instance_id = plant.start("retrieve_package")
    plant.answer(instance_id, {"package_type": "big_box", "place": "out_1"})
    plant.turn(2)
    with plant.uow() as tx:
        instance = tx.instances.lock(instance_id)
        plant.advance(tx, instance, Cancel("nobody wants it"), actor="ada")
    plant.run_until(
        lambda: (
            plant.rows("SELECT state FROM fleet_requests") == [("withdrawn",)]
            and not plant.rows(
                "SELECT id FROM fleet_tasks WHERE ended_at IS NULL"
                " AND kind = 'retrieve'"
            )
        )
    )
    plant.turn(2)
    assert plant.lead.fleet is not None
    assert "out_1" in plant.lead.fleet.storage.information().free_output


@pytest.mark.covers("W9")
def test_whoever_leads_next_goes_on_and_nothing_is_sent_twice(
    plant: WarehouseFactory,
) -> None:
    for number in range(4):
        plant.ask(
            f"put{number}",
            RequestKind.STORE,
            package=f"N-{number}",
            package_type="small_box",
            place=f"in_{number % 2 + 1}",
        )
    leaders = 0
    done = plant.ended(*(f"put{number}" for number in range(4)))
    while not done():
        plant.turn(7)
        leaders += 1
        # Dies without a word: its lease runs out, another one reads the rows.
        plant.rows("UPDATE fleet SET lease_until = now() - interval '1 s'")
        plant.worker = plant.leader(f"leader{leaders}")
        plant.rows("UPDATE robots SET lease_until = now() - interval '1 s'")
    assert leaders >= 3
    loads = plant.rows(
        "SELECT act_key, count(*) FROM goals WHERE action <> 'drive'"
        " GROUP BY act_key HAVING count(*) > 1"
    )
    assert loads == []
    kept = plant.rows("SELECT count(*) FROM fleet_tasks WHERE kind = 'store'")
    assert kept == [(4,)]


def test_only_one_worker_leads(plant: WarehouseFactory) -> None:
    plant.turn(2)
    second = plant.leader("second")
    assert second.lead is not None
    second.lead()
    assert not second.lead.leads
    assert plant.lead.leads
    plant.lead.release()
    plant.hands_of_clock.move(60.0)
    second.lead()
    assert second.lead.leads


def test_what_the_fleet_is_told_is_taken_or_refused_with_the_reason(
    plant: WarehouseFactory,
) -> None:
    square = [[9.0, 6.0], [11.0, 6.0], [11.0, 8.0], [9.0, 8.0]]
    assert plant.say("zone closed", zone="spill", corners=square) is None
    assert plant.lead.fleet is not None
    assert "spill" in str(plant.lead.fleet.traffic.to_dict()["closures"])
    assert "lacks 'corners'" in str(plant.say("zone closed", zone="spill"))
    assert "not 'dance'" in str(plant.say("dance"))
    assert "no robot 'tug99'" in str(
        plant.say("robot paused", robot="tug99", paused=True)
    )


def test_a_robot_out_of_service_gets_nothing(plant: WarehouseFactory) -> None:
    plant.rows(
        "INSERT INTO robots_out (robot, reason, taken_out_by)"
        " SELECT 'lifter' || n, 'service', 'sofia' FROM generate_series(1, 3) AS n"
    )
    plant.ask("get", RequestKind.RETRIEVE, package_type="pallet", place="out_1")
    plant.run_until(plant.ended("get"))
    assert plant.request("get")[2]["robot"] == "lifter4"
    refusals = plant.rows(
        "SELECT refusals ->> 'lifter1' FROM fleet_decisions"
        " WHERE robot = 'lifter4' LIMIT 1"
    )
    assert refusals == [("out of service: service",)]


def test_a_changed_world_keeps_what_lies_in_storage(plant: WarehouseFactory) -> None:
    plant.ask(
        "put", RequestKind.STORE, package="N-1", package_type="small_box", place="in_1"
    )
    plant.run_until(plant.ended("put"))
    where = plant.request("put")[2]["storage_place"]
    plant.ask("go", RequestKind.MOVE, robot="tug1", place="A1")
    plant.turn(2)
    plant.lead.release()
    plant.worker.owned.release()
    plant.files = replace(warehouse_files(), digest="another")
    plant.worker = plant.leader("second")
    plant.hands_of_clock.move(60.0)
    plant.run_until(plant.ended("go"))
    assert plant.request("go")[0] == "done"
    assert plant.lead.fleet is not None
    assert plant.lead.fleet.storage.package_at(where) == ("N-1", "small_box")


def test_robots_that_do_not_get_there_lose_their_task_to_others(
    plant: WarehouseFactory,
) -> None:
    plant.breakable.broken |= {"lifter1", "lifter2", "lifter3"}
    plant.ask("get", RequestKind.RETRIEVE, package_type="pallet", place="out_1")
    plant.run_until(plant.ended("get"))
    assert plant.request("get")[2]["robot"] == "lifter4"
    (why,) = plant.rows(
        "SELECT data ->> 'text' FROM events WHERE data ->> 'what' = 'robot failed'"
        " ORDER BY id LIMIT 1"
    )
    assert why == ("wheels",)


def test_a_robot_that_meets_something_stops_and_goes_another_way(
    plant: WarehouseFactory,
) -> None:
    plant.breakable.blocked.add("tug3")
    plant.ask("go", RequestKind.MOVE, robot="tug3", place="C3")
    plant.run_until(plant.ended("go"))
    assert plant.request("go")[0] == "done"
    goals = plant.rows(
        "SELECT state, x_m, y_m FROM goals WHERE robot = 'tug3' ORDER BY created_at"
    )
    assert [state for state, *_ in goals].count("cancelled") == 1
    assert goals[0][0] == "cancelled"
    assert goals[0][1:] not in [(x_m, y_m) for _, x_m, y_m in goals[1:]]
    alerts = plant.rows("SELECT data ->> 'what' FROM events WHERE kind = 'fleet alert'")
    assert alerts == [("path blocked",)]
    assert plant.lead.fleet is not None
    (obstacle,) = plant.lead.fleet.obstacles
    assert obstacle.startswith("blocked/")


def test_a_robot_that_stands_is_an_incident_of_its_process_until_it_goes_on(
    plant: WarehouseFactory,
) -> None:
    plant.worker = plant.leader("first", patience_s=0.0)
    instance_id = plant.start("fetch_shelf")
    asked = {"shelf": "S-1", "from_place": "shelf_1", "station": "station_1"}
    plant.breakable.holds = True
    plant.answer(instance_id, asked)
    plant.run_until(lambda: plant.rows("SELECT id FROM goals"))
    (robot,) = {r for (r,) in plant.rows("SELECT robot FROM goals")}
    plant.breakable.not_ready[robot] = "emergency stop"
    plant.run_until(plant.incidents)
    assert [i.message for i in plant.incidents()] == [
        f"{robot} stands on its way to shelf_1: emergency stop. Look at the robot."
    ]
    plant.breakable.not_ready.clear()
    plant.run_until(lambda: not plant.incidents())


def test_a_robot_that_the_fleet_does_not_let_go_on_is_an_incident(
    plant: WarehouseFactory,
) -> None:
    watch = WatchRequests(plant.uow, plant.lead, patience_s=0.0, still_s=0.0)
    plant.breakable.holds = True
    instance_id = plant.start("fetch_shelf")
    asked = {"shelf": "S-1", "from_place": "shelf_1", "station": "station_1"}
    plant.answer(instance_id, asked)
    plant.run_until(lambda: watch() or plant.incidents())
    (incident,) = plant.incidents()
    assert "is ready and does not move on its way to shelf_1" in incident.message
    plant.breakable.let_go()
    plant.run_until(lambda: watch() or not plant.incidents())
