"""Drafts of drawings: one a person, checked at every change, deployed or dropped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.web_models import Studio


def keep(studio: Studio, xml: bytes, **more: Any) -> Any:
    posted = {"xml": xml.decode(), "base": 1, **more}
    return studio.browser().post("/models/mixing/draft", json=posted)


def test_a_new_process_begins_with_a_draft(studio: Studio) -> None:
    answer = studio.browser().post(
        "/models/new", data={"key": "clean_tank", "name": 'Clean <the> "tank"'}
    )
    assert answer.location == "/models/clean_tank/edit"
    xml = studio.browser().get("/models/clean_tank/edit/clean_tank.bpmn").data
    assert studio.engine.processes(xml) == [("clean_tank", 'Clean <the> "tank"')]
    page = studio.browser().get(answer.location)
    assert page.status_code == 200
    assert "style-src-attr 'unsafe-inline'" in page.headers["Content-Security-Policy"]
    listed = studio.browser().get("/models")
    assert "/models/clean_tank/edit" in listed.text
    assert "unsafe-inline" not in listed.headers["Content-Security-Policy"]


@pytest.mark.parametrize("key", ["", "1st", "a b", "a/b", "ü", "x" * 101, "mixing"])
def test_an_id_that_cannot_be_is_refused(studio: Studio, key: str) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    answer = studio.browser().post("/models/new", data={"key": key, "name": "N"})
    assert answer.status_code == 422
    assert studio.rows("SELECT 1 FROM model_drafts") == []


def test_every_change_is_kept_and_checked(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    broken = studio.model().replace(b'targetRef="end"', b'targetRef="nowhere"')
    answer = keep(studio, broken)
    findings = answer.get_json()["findings"]
    assert any(one["refuses"] and one["element"] == "load_to_end" for one in findings)
    assert studio.browser().get("/models/mixing/edit/mixing.bpmn").data == broken
    fine = keep(studio, studio.model(form="")).get_json()
    assert [one for one in fine["findings"] if one["refuses"]] == []


def test_looking_without_changing_keeps_no_draft(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    assert keep(studio, studio.model(), keep=False).status_code == 200
    assert studio.rows("SELECT 1 FROM model_drafts") == []


def test_a_draft_is_deployed_with_its_reason(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    keep(studio, studio.model(name="Scan"))
    answer = studio.browser().post("/models/mixing/deploy", data={"note": "scan it"})
    assert answer.location == "/models/mixing/2"
    assert studio.rows(
        "SELECT deployed_by, note FROM definitions WHERE version = 2"
    ) == [("admin-en", "scan it")]
    assert studio.rows("SELECT 1 FROM model_drafts") == []
    again = studio.browser().post("/models/mixing/deploy")
    assert again.status_code == 404


def test_a_draft_that_is_refused_stays_a_draft(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    broken = studio.model().replace(b'targetRef="end"', b'targetRef="nowhere"')
    keep(studio, broken)
    answer = studio.browser().post("/models/mixing/deploy", data={"note": "n"})
    assert answer.status_code == 422
    assert "Nothing was deployed" in answer.text
    assert studio.rows("SELECT max(version) FROM definitions") == [(1,)]
    assert studio.browser().get("/models/mixing/edit/mixing.bpmn").data == broken


def test_a_version_deployed_meanwhile_is_told(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    keep(studio, studio.model(name="Mine"))
    studio.deploy(mixing__bpmn=studio.model(name="Theirs"))
    page = studio.page("/models/mixing/edit")
    assert "Version 2 by engineer is newer" in page


def test_a_draft_is_thrown_away(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    keep(studio, studio.model(name="Mine"))
    answer = studio.browser().post("/models/mixing/discard")
    assert answer.status_code == 303
    kept = studio.browser().get("/models/mixing/edit/mixing.bpmn").data
    assert kept == studio.model()


def test_only_administrators_draw(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    leader = studio.browser("supervisor")
    for path in ("/models/new", "/models/mixing/edit", "/models/mixing/edit/m.bpmn"):
        assert leader.get(path).status_code == 403
    for path in ("/models/new", "/models/mixing/draft", "/models/mixing/deploy"):
        assert leader.post(path, json={}).status_code == 403


@pytest.mark.parametrize("posted", [None, [], {}, {"xml": 5}, {"xml": None}])
def test_a_draft_without_a_drawing_is_not_kept(studio: Studio, posted: Any) -> None:
    answer = studio.browser().post("/models/mixing/draft", json=posted)
    assert answer.status_code == 400
    assert studio.rows("SELECT 1 FROM model_drafts") == []


def test_odd_bytes_are_kept_and_refused(studio: Studio) -> None:
    answer = studio.browser().post(
        "/models/mixing/draft", json={"xml": "\ud800<!DOCTYPE a>", "base": "x"}
    )
    assert answer.status_code == 200
    assert answer.get_json()["findings"][0]["refuses"]
    huge = studio.browser().post("/models/mixing/draft", json={"xml": "x" * 4_000_001})
    assert huge.status_code == 422


def test_what_nobody_drew_cannot_be_edited(studio: Studio) -> None:
    assert studio.browser().get("/models/nothing/edit").status_code == 404
    assert studio.browser().get("/models/nothing/edit/x.bpmn").status_code == 404
