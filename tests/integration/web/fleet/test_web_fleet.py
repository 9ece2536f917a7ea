"""The fleet and the warehouse on their pages and in the API."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.fleet_requests import RequestKind
from tests.support.warehouse_site import WarehouseSite

SQUARE = [[9.0, 6.0], [11.0, 6.0], [11.0, 8.0], [9.0, 8.0]]


@pytest.fixture
def plant(database_url: str) -> Iterator[WarehouseSite]:
    with WarehouseSite(database_url) as plant:
        plant.turn(2)
        yield plant


def test_the_page_shows_robots_tasks_and_their_ways(plant: WarehouseSite) -> None:
    plant.ask("get", RequestKind.RETRIEVE, package_type="pallet", place="out_1")
    plant.run_until(lambda: plant.rows("SELECT id FROM goals"))
    page = plant.page("/fleet")
    assert "tug1" in page
    assert "lifter" in page
    assert "Retrieve" in page
    assert "fleet-granted" in page
    assert "Draw a zone" in page
    assert "Draw a zone" not in plant.page("/fleet", Role.VIEWER)
    plant.run_until(plant.ended("get"))
    done = plant.page("/fleet/now")
    assert "done" in done
    assert plant.page("/fleet/floor").count("<circle") > 20


def test_a_task_tells_who_offered_what_and_why_others_did_not(
    plant: WarehouseSite,
) -> None:
    plant.ask("get", RequestKind.RETRIEVE, package_type="pallet", place="out_1")
    plant.run_until(plant.ended("get"))
    page = plant.page("/fleet/tasks/retrieve/1")
    assert "carries 50 kg, not 300 kg" in page
    assert "lifter1" in page
    assert plant.browser().get("/fleet/tasks/nothing").status_code == 404


def test_a_zone_drawn_with_the_finger_holds_in_the_next_round(
    plant: WarehouseSite,
) -> None:
    leader = plant.browser()
    drawn = {"zone": "spill", "corners": json.dumps(SQUARE)}
    assert leader.post("/fleet/zones", data=drawn).status_code == 303
    plant.turn()
    assert "spill" in plant.page("/fleet/now")
    assert "Closed: spill" in plant.page("/fleet/floor")
    leader.post("/fleet/tell", data={"kind": "zone opened", "about": "spill"})
    plant.turn()
    assert "spill" not in plant.page("/fleet/now")


@pytest.mark.parametrize(
    "drawn",
    [
        {"zone": "", "corners": json.dumps(SQUARE)},
        {"zone": "a", "corners": json.dumps(SQUARE[:2])},
        {"zone": "a", "corners": "nonsense"},
        {"zone": "a", "corners": '["x", "y", "z"]'},
    ],
)
def test_a_zone_that_is_none_changes_nothing(
    plant: WarehouseSite, drawn: dict[str, str]
) -> None:
    assert plant.browser().post("/fleet/zones", data=drawn).status_code == 303
    assert plant.rows("SELECT count(*) FROM fleet_events") == [(0,)]


def test_leaders_pause_robots_and_clear_the_roads(plant: WarehouseSite) -> None:
    leader = plant.browser()
    for kind, about in (("robot paused", "tug1"), ("pulled over", ""), ("stopped", "")):
        leader.post("/fleet/tell", data={"kind": kind, "about": about})
    plant.turn(2)
    page = plant.page("/fleet")
    assert "All robots are pulling over." in page
    assert "New tasks are stopped." in page
    assert "paused" in page
    for kind, about in (
        ("robot goes on", "tug1"),
        ("roads free", ""),
        ("started", ""),
    ):
        leader.post("/fleet/tell", data={"kind": kind, "about": about})
    plant.turn(2)
    assert "leave the roads" not in plant.page("/fleet")
    assert leader.post("/fleet/tell", data={"kind": "dance"}).status_code == 404
    worker = plant.browser(Role.WORKER)
    assert worker.post("/fleet/tell", data={"kind": "stopped"}).status_code == 403


def test_a_person_put_on_the_plan_holds_at_once_and_is_taken_away(
    plant: WarehouseSite,
) -> None:
    leader = plant.browser()
    for kind, x_m in (("person", "9.5"), ("person", "10.5"), ("obstacle", "12")):
        put = {"kind": kind, "x_m": x_m, "y_m": "7", "radius_m": "0.4"}
        assert leader.post("/fleet/things", data=put).status_code == 303
        plant.turn()
    page = plant.page("/fleet/now")
    assert "person 1" in page
    assert "person 2" in page
    assert "obstacle 1" in page
    assert "<title>person 1</title>" in plant.page("/fleet/floor")
    fleet = plant.lead.fleet
    assert fleet is not None
    closures = fleet.traffic.to_dict()["closures"]["obstacles"]
    assert {"person 1", "person 2", "obstacle 1"} <= closures.keys()
    shown = {
        "kind": "person",
        "name": "Ana",
        "x_m": "9",
        "y_m": "7",
        "level": "noticed",
    }
    leader.post("/fleet/things", data=shown)
    plant.turn()
    assert "Ana" in plant.page("/fleet/floor")
    assert "Ana" not in fleet.traffic.to_dict()["closures"]["obstacles"]
    for name in ("person 1", "person 2", "obstacle 1", "Ana"):
        leader.post("/fleet/tell", data={"kind": "thing gone", "about": name})
    plant.turn()
    assert "person 1" not in plant.page("/fleet/now")
    assert fleet.entities == {}
    assert fleet.traffic.to_dict()["closures"]["obstacles"] == {}


@pytest.mark.parametrize(
    "put",
    [
        {"x_m": "900", "y_m": "7"},
        {"x_m": "nan", "y_m": "7"},
        {"x_m": "9"},
        {"x_m": "9", "y_m": "7", "radius_m": "50"},
    ],
)
def test_what_is_not_on_the_plan_is_not_put_there(
    plant: WarehouseSite, put: dict[str, str]
) -> None:
    assert plant.browser().post("/fleet/things", data=put).status_code == 303
    assert plant.rows("SELECT count(*) FROM fleet_events") == [(0,)]


def test_a_robot_is_used_respected_noticed_or_ignored(plant: WarehouseSite) -> None:
    leader, fleet = plant.browser(), plant.lead.fleet
    assert fleet is not None
    for level in ("respected", "noticed", "ignored", "used"):
        said = {"robot": "tug1", "level": level}
        assert leader.post("/fleet/levels", data=said).status_code == 303
        plant.turn(2)
        assert fleet.vehicles["tug1"].level == level
        shown = f">{level}</span>" in plant.page("/fleet/now")
        assert shown is (level != "used")
    wrong = {"robot": "tug1", "level": "loved"}
    assert leader.post("/fleet/levels", data=wrong).status_code == 404
    stranger = {"robot": "tug99", "level": "used"}
    assert leader.post("/fleet/levels", data=stranger).status_code == 404
    worker = plant.browser(Role.WORKER)
    assert worker.post("/fleet/levels", data=said).status_code == 403
    assert worker.post("/fleet/things", data={}).status_code == 403
    assert "Place a person" not in plant.page("/fleet", Role.WORKER)


def test_the_warehouse_shows_what_lies_where(plant: WarehouseSite) -> None:
    page = plant.page("/warehouse", Role.WORKER)
    assert "A1: P-1 small_box" in page
    assert "Send it there" not in page
    plant.ask(
        "put", RequestKind.STORE, package="N-1", package_type="big_box", place="in_1"
    )
    plant.run_until(plant.ended("put"))
    where = plant.request("put")[2]["storage_place"]
    assert f"{where}: N-1 big_box" in plant.page("/warehouse/now")


def test_a_person_sends_a_robot(plant: WarehouseSite) -> None:
    leader = plant.browser()
    assert "Send it there" in plant.page("/warehouse")
    leader.post("/warehouse/send", data={"robot": "tug2", "place": "station_1"})
    plant.run_until(
        lambda: plant.rows("SELECT 1 FROM fleet_requests WHERE state = 'done'")
    )
    leader.post("/warehouse/send", data={"robot": "tug2", "place": "moon"})
    assert plant.rows("SELECT count(*) FROM fleet_requests") == [(1,)]


def test_programs_read_and_tell_the_same(plant: WarehouseSite) -> None:
    leader = plant.browser()
    plant.ask("get", RequestKind.RETRIEVE, package_type="pallet", place="out_1")
    plant.run_until(plant.ended("get"))
    fleet = leader.get("/api/v1/fleet").json
    assert fleet["led"]
    assert {robot["id"] for robot in fleet["robots"]} == set(plant.files.world.robots)
    task = leader.get("/api/v1/fleet/task?id=retrieve/1").json
    assert task["decisions"][0]["refusals"]
    stock = leader.get("/api/v1/warehouse").json
    assert len(stock["places"]) == 34


def test_a_world_without_a_fleet_has_no_such_pages(plant: WarehouseSite) -> None:
    bare = plant.browser(Role.SUPERVISOR, fleet=None)
    for address in ("/fleet", "/warehouse", "/api/v1/fleet"):
        assert bare.get(address).status_code == 404
