"""Drafts and decision tables over the API: laid before a person, mended, deployed."""

from __future__ import annotations

import pytest

from mpms.domain.people.people import Role
from tests.support.web_api import Plant, Program

MODEL = "papers"
DMN = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"
    id="d" name="d" namespace="urn:d"><decision id="size" name="size">
    <decisionTable id="t" hitPolicy="FIRST"><input id="i">
    <inputExpression id="e" typeRef="number"><text>kg</text></inputExpression>
    </input><output id="o" name="size" typeRef="string"/>
    <rule id="r1"><inputEntry id="a"><text>&lt; 5</text></inputEntry>
    <outputEntry id="b"><text>"small"</text></outputEntry></rule>
    </decisionTable></decision></definitions>"""


@pytest.fixture
def admin(plant: Plant) -> Program:
    """A program, beside a person of the same role whose login is admin."""
    plant.deploy()
    plant.person("admin", Role.ADMIN)
    plant.worker.settle()  # it says what topics it serves
    return plant.program("admin", "modeller")


def drawing(admin: Program) -> str:
    text: str = admin("GET", f"/processes/{MODEL}/versions/1.bpmn").text
    return text.replace('name="File"', 'name="File it"')


def test_a_program_lays_a_draft_before_a_person_who_opens_it(
    plant: Plant, admin: Program
) -> None:
    here = f"/people/admin/drafts/process/{MODEL}"
    kept = admin.post(here, {"content": drawing(admin), "base_version": 1})
    assert kept["findings"] == []
    (listed,) = admin.get("/people/admin/drafts")["items"]
    assert (listed["key"], listed["base_version"]) == (MODEL, 1)
    opened = plant.browser_of("admin").get(f"/models/{MODEL}/edit/any.bpmn").text
    assert opened == admin("GET", f"{here}/file").text == drawing(admin)
    told = {"login": "admin", "kind": "process", "key": MODEL}
    assert plant.told("draft kept") == [("api:modeller", told)]


def test_what_a_person_drew_meanwhile_is_not_overwritten(
    plant: Plant, admin: Program
) -> None:
    here = f"/people/admin/drafts/process/{MODEL}"
    first = admin.post(here, {"content": drawing(admin)})
    plant.browser_of("admin").post(f"/models/{MODEL}/draft", json={"xml": "<mine/>"})
    for over in (None, first["saved_at"]):
        refused = admin("POST", here, {"content": "<its/>", "over": over})
        assert refused.status_code == 409
        assert refused.json["type"].endswith("#problem-draft-changed")
    assert admin("GET", f"{here}/file").text == "<mine/>"
    read = admin.get(here)
    assert read["findings"][0]["refuses"]
    admin.post(here, {"content": drawing(admin), "over": read["saved_at"]})
    assert admin.get(here)["findings"] == []


def test_a_draft_is_deployed_once_or_thrown_away(plant: Plant, admin: Program) -> None:
    here = f"/people/admin/drafts/process/{MODEL}"
    admin.post(here, {"content": "<no model/>"})
    refused = admin("POST", f"{here}/deploy", {"note": "try"})
    assert refused.status_code == 422
    over = admin.get(here)["saved_at"]
    admin.post(here, {"content": drawing(admin), "over": over})
    made = admin.post(f"{here}/deploy", {"note": "clearer"}, key="k")
    assert [(one["key"], one["version"]) for one in made["processes"]] == [(MODEL, 2)]
    assert admin.post(f"{here}/deploy", {"note": "clearer"}, key="k") == made
    assert admin("GET", here).status_code == 404
    newest = admin.get("/models")["processes"][0]["versions"][0]
    assert (newest["version"], newest["note"]) == (2, "clearer")
    admin.post(here, {"content": "<another/>"})
    assert admin("DELETE", here).status_code == 204
    assert admin("DELETE", here).status_code == 404
    nobody = admin("POST", "/people/nobody/drafts/process/x", {"content": "a"})
    assert nobody.status_code == 404


def test_rules_of_a_decision_are_changed_tried_and_deployed(
    plant: Plant, admin: Program
) -> None:
    admin.post("/models/deploy", {"files": {"size.dmn": DMN}})
    (rule,) = admin.get("/decisions/size")["rules"]
    more = {"inputs": [">= 5"], "outputs": ['"large"'], "note": "new"}
    new = {"rules": [rule, more], "hit_policy": "UNIQUE"}
    content = admin.post("/decisions/size/rules", new)["content"]
    wish = {"variables": {"kg": 7}}
    assert admin.post("/decisions/size/try", wish)["outputs"] is None
    tried = admin.post("/decisions/size/try", wish | {"content": content})
    assert "large" in str(tried["outputs"])
    here = "/people/admin/drafts/decision/size"
    assert admin.post(here, {"content": content, "base_version": 1})["findings"] == []
    assert admin.post(f"{here}/deploy", {})["decisions"] == ["size"]
    changed = admin.get("/decisions/size")
    assert (changed["version"], changed["hit_policy"]) == (2, "UNIQUE")
    assert [one["note"] for one in changed["rules"]] == ["", "new"]
    first = admin("GET", "/decisions/size/versions/1.dmn").text
    assert "large" not in first
    assert admin("GET", "/decisions/size/versions/3.dmn").status_code == 404


def test_a_rule_that_does_not_fit_its_table_is_refused(
    plant: Plant, admin: Program
) -> None:
    admin.post("/models/deploy", {"files": {"size.dmn": DMN}})
    short = {"rules": [{"inputs": [], "outputs": ['"large"']}]}
    refused = admin("POST", "/decisions/size/rules", short)
    assert refused.status_code == 422
    assert refused.json["type"].endswith("#problem-rules-misfit")


def test_forms_are_read_in_every_version(plant: Plant, admin: Program) -> None:
    for label in ("Kilograms", "Weight in kg"):
        field = f'{{"type": "number", "key": "kg", "label": "{label}"}}'
        form = f'{{"id": "weigh", "components": [{field}]}}'
        admin.post("/models/deploy", {"files": {"weigh.form": form}})
    reader = plant.program("worker")
    first = reader.get("/forms/weigh/versions/1")
    assert first["schema"]["components"][0]["label"] == "Kilograms"
    newest = reader.get("/forms/weigh")
    assert newest["schema"]["components"][0]["label"] == "Weight in kg"
    assert reader("GET", "/forms/weigh/versions/9").status_code == 404
