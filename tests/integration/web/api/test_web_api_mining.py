"""The history of a process as files for tools of process mining, by the API."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from lxml import etree

from mpms.domain.people.people import Role
from tests.support.drawings import in_a_row
from tests.support.web_api import Plant

EVER = {"since": "2020-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}
XES = "/processes/papers/history.xes"
NS = "{http://www.xes-standard.org/}"


def names_in(trace: Any) -> list[tuple[str, str]]:
    found = []
    for event in trace.findall(f"{NS}event"):
        told = {child.get("key"): child.get("value") for child in event}
        found.append((told["concept:name"], told["lifecycle:transition"]))
    return found


def test_every_instance_is_a_trace_and_an_object(plant: Plant) -> None:
    plant.deploy()
    started = [plant.start_papers() for _ in range(23)]  # more than are read at once
    reader = plant.program("viewer")
    answer = reader("GET", XES, query_string=EVER)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/xml"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="history.xes"'
    traces = etree.fromstring(answer.text.encode()).findall(f"{NS}trace")
    assert [trace[0].get("value") for trace in traces] == started
    assert names_in(traces[0])[0] == ("Look", "start")
    made = reader.get("/processes/papers/history.ocel.json", **EVER)
    ids = {one["id"] for one in made["objects"] if one["type"] == "instance"}
    assert ids == {f"instance:{one}" for one in started}
    assert len(made["events"]) == sum(len(names_in(trace)) for trace in traces)


def test_the_paths_taken_are_ranked_with_their_shares(plant: Plant) -> None:
    plant.deploy()
    started = [plant.start_papers() for _ in range(4)]
    for one in started[:3]:
        for task in plant.forms(one):
            plant.submit(task.task_id, {})
    reader = plant.program("viewer")
    before = reader.get("/processes/papers/variants", **EVER)
    assert (before["items"], before["ended"], before["running"]) == ([], 0, 4)
    for one in started[:2]:
        for task in plant.forms(one):
            plant.submit(task.task_id, {})
    cancelled = {"reason": "not needed", "completed_manually": False}
    plant.program("admin").post(f"/instances/{started[2]}/cancel", cancelled)
    made = reader.get("/processes/papers/variants", **EVER)
    assert (made["variants"], made["ended"], made["running"]) == (2, 3, 1)
    first, second = made["items"]
    assert [step["element"] for step in first["steps"]] == ["look", "print", "file"]
    assert [step["name"] for step in first["steps"]] == ["Look", "Print", "File"]
    assert (first["rank"], first["count"], first["example"]) == (1, 2, started[0])
    assert first["share"] == pytest.approx(2 / 3)
    assert [step["element"] for step in second["steps"]] == ["look", "print"]
    short = reader.get("/processes/papers/variants", limit=1, **EVER)
    assert short["items"] == [first]
    assert short["variants"] == 2


@pytest.mark.parametrize(
    ("path", "query", "status", "sentence"),
    [
        ("/processes/nothing/history.xes", EVER, 404, "nothing"),
        (XES, {"since": EVER["until"]}, 422, "ends before it begins"),
        (
            XES,
            {"since": "2001-01-01T00:00:00Z", "until": "2001-01-02T00:00:00Z"},
            404,
            "No instance of papers began from 2001-01-01",
        ),
        ("/processes/papers/variants", {"since": EVER["until"]}, 422, "ends before"),
        ("/processes/nothing/variants", EVER, 404, "nothing"),
        (XES, {"since": "2026-01-01T00:00:00"}, 422, "timezone"),
        (XES, {"until": "0001-01-01T00:00:00Z"}, 422, "2000"),
    ],
)
def test_what_cannot_be_exported_is_said_before_a_file_begins(
    plant: Plant, path: str, query: dict[str, str], status: int, sentence: str
) -> None:
    plant.deploy()
    plant.start_papers()
    answer = plant.program("viewer")("GET", path, query_string=query)
    assert answer.status_code == status
    assert sentence in answer.text


def test_shares_stand_at_steps_and_choices(plant: Plant) -> None:
    plant.deploy()
    started = [plant.start_papers() for _ in range(4)]
    for one in started[:3]:
        for _ in range(2):
            for task in plant.forms(one):
                plant.submit(task.task_id, {})
    reader = plant.program("viewer")
    found = reader.get("/processes/papers/paths", **EVER)
    shares = {step["element"]: step["share"] for step in found["steps"]}
    assert (found["ended"], shares["look"], shares["print"]) == (3, 1.0, 1.0)
    assert all(0 <= flow["share"] <= 1 for flow in found["flows"])


def test_past_instances_are_judged_by_a_new_version(plant: Plant) -> None:
    plant.deploy()
    one = plant.start_papers()
    for _ in range(2):
        for task in plant.forms(one):
            plant.submit(task.task_id, {})
    reader = plant.program("viewer")
    same = reader.get("/processes/papers/conformance", **EVER)
    assert (same["version"], same["fits"], same["reasons"]) == (1, 1, [])
    plant.deploy_files(in_a_row("papers", "begin look stamp file end"))
    changed = reader.get("/processes/papers/conformance", **EVER)
    assert (changed["version"], changed["fits"], changed["misfits"]) == (2, 0, 1)
    (reason,) = changed["reasons"]
    assert (reason["why"], reason["element"], reason["after"]) == (
        "unknown",
        "print",
        "look",
    )
    assert reason["example"] == one
    old = reader.get("/processes/papers/conformance", version=1, **EVER)
    assert old["fits"] == 1
    page = plant.browser("viewer").get("/cockpit/papers/paths?window=quarter").text
    assert "0 of 1 could have gone their way in version 2; 1 could not." in page
    assert "It has no step Print." in page
    assert "Look → Print → File" in page
    assert "None began in this window" not in page


def test_past_instances_are_judged_by_a_draft_before_it_is_deployed(
    plant: Plant,
) -> None:
    plant.deploy()
    one = plant.start_papers()
    for _ in range(2):
        for task in plant.forms(one):
            plant.submit(task.task_id, {})
    plant.person("admin", Role.ADMIN)
    program = plant.program("admin")
    judged_by = {**EVER, "draft_of": "admin"}
    none = program("GET", "/processes/papers/conformance", query_string=judged_by)
    assert none.status_code == 404
    drawn = in_a_row("papers", "begin look stamp file end")["papers.bpmn"].decode()
    here = "/people/admin/drafts/process/papers"
    laid = {"content": drawn}
    kept = program("POST", here, laid)
    assert kept.status_code in (200, 201), kept.text
    judged = program.get("/processes/papers/conformance", draft_of="admin", **EVER)
    assert (judged["version"], judged["fits"], judged["misfits"]) == (2, 0, 1)
    assert [reason["element"] for reason in judged["reasons"]] == ["print"]
    same = program.get("/processes/papers/conformance", **EVER)
    assert (same["version"], same["fits"]) == (1, 1)
    others = plant.program("viewer")
    hidden = others("GET", "/processes/papers/conformance", query_string=judged_by)
    assert hidden.status_code == 403
    browser = plant.browser_of("admin")
    drafted = "/cockpit/papers/paths?window=quarter&against=draft"
    page = browser.get(drafted).text
    assert "0 of 1 could have gone their way in this draft; 1 could not." in page
    for ending in ("xes", "ocel.json"):
        (address,) = re.findall(rf'href="([^"]*history\.{ending}[^"]*)"', page)
        file = browser.get(unescape(address))
        assert (file.status_code, one in file.text) == (200, True)
    saved = browser.post("/models/papers/draft", json={"xml": "<no model"})
    assert saved.status_code < 300, saved.text
    page = browser.get(drafted).text
    assert "This draft is no model that can be compared yet:" in page
