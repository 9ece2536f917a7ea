"""Every list of the API as CSV: the same lines, page by page, safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json

from mpms.plugins import loading
from mpms.web.api import operations, sections
from mpms.web.api.openapi import document
from tests.support.web_api import Plant

SECTIONS = sections(loading.loaded())
OPERATIONS = operations(SECTIONS)
ASK = {"Accept": "text/csv"}


def lines_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_list_is_described_as_a_table_too() -> None:
    told = document(SECTIONS)["paths"]
    lists = [one for one in OPERATIONS if one.row is not None]
    assert {"/orders", "/instances", "/plant/audit", "/plant/places"} <= {
        one.path for one in lists
    }
    for one in lists:
        good = told[one.path]["get"]["responses"]["200"]
        assert set(good["content"]) == {"application/json", "text/csv"}


def test_a_table_has_the_lines_of_the_list_and_leads_to_the_next_page(
    plant: Plant,
) -> None:
    plant.deploy()
    started = {plant.start_papers() for _ in range(5)}
    reader = plant.program("viewer")
    listed = reader.get("/instances", state="any")["items"]
    path, pages, seen = "/instances?state=any&limit=2", 0, []
    while path:
        answer = reader("GET", path, headers=ASK)
        assert answer.content_type == "text/csv; charset=utf-8"
        seen += lines_of(answer.text)
        pages += 1
        following = answer.headers.get("Link", "")
        path = following.partition(">")[0].removeprefix("</api/v1")
    assert pages == 3
    assert [line["id"] for line in seen] == [one["id"] for one in listed]
    assert {line["id"] for line in seen} == started
    assert [line["ended_at"] for line in seen] == [""] * 5
    stands = [json.loads(line["stands"]) for line in seen]
    assert stands == [one["stands"] for one in listed]
    assert {stand["element"] for stand in stands[-1]} == {"look"}


def test_who_takes_anything_gets_json(plant: Plant) -> None:
    reader = plant.program("viewer")
    for accept in ("*/*", "application/json", "text/html,*/*;q=0.8"):
        answer = reader("GET", "/processes", headers={"Accept": accept})
        assert answer.content_type == "application/json"


def test_no_cell_is_a_formula_and_numbers_stay_numbers(plant: Plant) -> None:
    boss = plant.program("supervisor")
    order = {
        "order": "MO-2026-0815",
        "product": "=1+1",
        "lines": [{"material": "RM-001", "amount": 2}],
    }
    boss.post("/orders", order)
    (line,) = lines_of(boss("GET", "/orders", headers=ASK).text)
    assert line["product"] == "'=1+1"
    assert (line["late"], line["due"]) == ("false", "")
    places = plant.program("admin")("GET", "/plant/places", headers=ASK).text
    known = {place["name"]: place["x_m"] for place in lines_of(places)}
    assert {name: float(x) for name, x in known.items()} == {
        name: place.x_m for name, place in plant.world.places.items()
    }


def test_the_log_of_actions_is_taken_along_as_a_table(plant: Plant) -> None:
    boss = plant.program("supervisor")
    plant.deploy()
    answer = boss("GET", "/plant/audit?limit=1", headers=ASK)
    (line,) = lines_of(answer.text)
    assert (line["kind"], line["actor"]) == ("deployed", "engineer")
    assert 'rel="next"' in answer.headers["Link"]


def test_the_history_is_followed_as_a_table(plant: Plant) -> None:
    reader = plant.program("viewer")
    start = reader.get("/events")["next"]
    plant.deploy()
    answer = reader("GET", f"/events?after={start}", headers=ASK)
    assert [line["kind"] for line in lines_of(answer.text)] == ["deployed"]
    following = answer.headers["Link"].partition(">")[0].removeprefix("</api/v1")
    assert lines_of(reader("GET", following, headers=ASK).text) == []


def test_each_table_of_the_figures_is_a_list(plant: Plant) -> None:
    plant.deploy()
    plant.start_papers()
    reader = plant.program("viewer")
    whole = reader.get("/figures", days=3)
    assert reader.get("/figures/days", days=3)["items"] == whole["days"]
    assert reader.get("/figures/waiting", days=3)["items"] == whole["waiting"]
    assert reader.get("/figures/robots", days=3)["items"] == whole["robots"]
    assert reader.get("/figures/incidents", days=3)["items"] == whole["causes"]
    days = lines_of(reader("GET", "/figures/days?days=3", headers=ASK).text)
    assert [line["day"] for line in days] == [one["day"] for one in whole["days"]]


def test_lines_about_people_are_followed_by_administrators_only(plant: Plant) -> None:
    admin, viewer = plant.program("admin"), plant.program("viewer")
    start = admin.get("/events")["next"]
    with plant.uow() as tx:
        tx.events.append("signed in", actor="eve", data={"tablet": 1})
        tx.events.append("process suspended", actor="eve", data={})
    seen = {
        program: [e["kind"] for e in program.get("/events", after=start)["items"]]
        for program in (admin, viewer)
    }
    assert seen[admin] == ["signed in", "process suspended"]
    assert seen[viewer] == ["process suspended"]
