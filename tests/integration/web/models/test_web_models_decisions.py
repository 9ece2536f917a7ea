"""Decision tables are read, changed cell by cell, tried and deployed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.web_models import Studio

ROOT = Path(__file__).resolve().parents[4]
TABLE = (ROOT / "processes" / "weight_tolerance.dmn").read_bytes()
KEY = "/models/decisions/weight_tolerance"
CELLS = {
    "rules": "2",
    "policy": "UNIQUE",
    **{"id-0": "within_tolerance", "in-0-0": "< 0.0005", "out-0-0": "true"},
    **{"id-1": "outside_tolerance", "in-1-0": ">= 0.0005", "out-1-0": "false"},
    **{"note-0": "right", "note-1": "wrong"},
}
LOAD = {"value-measured_kg": "104", "value-material": '{"required_kg": 100}'}


@pytest.fixture
def tolerance(studio: Studio) -> Studio:
    studio.deploy(weight_tolerance__dmn=TABLE)
    return studio


def change(studio: Studio, **fields: str) -> Any:
    return studio.browser().post(f"{KEY}/edit", data=CELLS | fields)


def test_a_table_is_a_table_for_everybody(tolerance: Studio) -> None:
    page = tolerance.page(KEY, role="viewer")
    assert "beyond the tolerance (kg)" in page
    assert "<code>&lt; 0.0005</code>" in page
    assert "UNIQUE" in page
    assert "too little or too much: back to the worker" in page
    assert f"{KEY}/edit" not in page


def test_it_is_tried_with_values(tolerance: Studio) -> None:
    asked = {"try": "1", **LOAD}
    answer = tolerance.browser("viewer").get(f"{KEY}/1", query_string=asked)
    assert "Rules that matched: 2" in answer.text
    assert (
        "&#34;weight_ok&#34;: false" in answer.text
        or '"weight_ok": false' in answer.text
    )
    missing = tolerance.browser("viewer").get(f"{KEY}/1?try=1&value-material=x")
    assert missing.status_code == 200
    assert "banner-bad" in missing.text


def test_a_changed_cell_is_kept_as_a_draft_and_tried(tolerance: Studio) -> None:
    page = change(tolerance, **{"in-0-0": "< 5", "in-1-0": ">= 5", "do": "try"} | LOAD)
    assert page.status_code == 200
    assert "Rules that matched: 1" in page.text
    assert 'value="&lt; 5"' in tolerance.page(f"{KEY}/edit")
    assert "/models/decisions/weight_tolerance/edit" in tolerance.page("/models")
    assert tolerance.rows("SELECT max(version) FROM decisions") == [(1,)]


def test_rules_are_added_moved_and_removed(tolerance: Studio) -> None:
    added = change(tolerance, do="add:1")
    assert 'name="rules" value="3"' in added.text
    up = change(tolerance, do="up:1")
    assert up.text.index('value="&gt;= 0.0005"') < up.text.index('value="&lt; 0.0005"')
    fewer = change(tolerance, do="remove:0")
    assert 'name="rules" value="1"' in fewer.text
    assert 'value="&lt; 0.0005"' not in fewer.text


def test_what_the_engine_refuses_is_told_and_not_deployed(tolerance: Studio) -> None:
    live = change(tolerance, **{"in-0-0": "< < 1", "do": "check"})
    assert live.status_code == 200
    assert "model-finding-bad" in live.text
    refused = change(tolerance, **{"in-0-0": "< < 1", "do": "deploy"})
    assert refused.status_code == 422
    assert "Nothing was deployed" in refused.text
    assert tolerance.rows("SELECT max(version) FROM decisions") == [(1,)]
    assert 'value="&lt; &lt; 1"' in tolerance.page(f"{KEY}/edit")


def test_it_is_deployed_as_a_new_version(tolerance: Studio) -> None:
    answer = change(
        tolerance,
        **{"in-0-0": "< 5", "in-1-0": ">= 5", "do": "deploy", "note": "5 kg are fine"},
    )
    assert answer.status_code == 303, answer.text
    assert tolerance.rows(
        "SELECT version, deployed_by, note FROM decisions ORDER BY version DESC LIMIT 1"
    ) == [(2, "admin-en", "5 kg are fine")]
    assert tolerance.rows("SELECT 1 FROM model_drafts") == []
    page = tolerance.page(KEY, role="viewer")
    assert "<code>&lt; 5</code>" in page
    assert "<code>&lt; 0.0005</code>" in tolerance.page(f"{KEY}/1", role="viewer")


def test_a_draft_belongs_to_its_author_and_can_be_thrown_away(
    tolerance: Studio,
) -> None:
    change(tolerance, **{"in-0-0": "< 7", "do": "check"})
    other = tolerance.browser("admin", "de").get(f"{KEY}/edit").text
    assert "&lt; 7" not in other
    answer = change(tolerance, do="discard")
    assert answer.status_code == 303
    assert "&lt; 7" not in tolerance.page(f"{KEY}/edit")
    assert change(tolerance, do="discard").status_code == 303


def test_nonsense_in_the_form_does_no_harm(tolerance: Studio) -> None:
    for odd in (
        {"rules": "999999999"},
        {"rules": "x"},
        {"policy": "WHATEVER"},
        {"do": "remove:99"},
        {"do": "up:-1"},
        {"do": "\x00"},
        {"in-0-0": "\x00\x1f"},
        {"id-1": "within_tolerance"},
    ):
        assert change(tolerance, **{"do": "check", **odd}).status_code == 200, odd


def test_columns_are_changed_added_and_removed(tolerance: Studio) -> None:
    page = change(tolerance, do="add-input").text
    assert 'name="col-in-1-text"' in page
    column = {
        "col-in-1-text": "customer",
        "col-in-1-label": "Customer",
        "col-in-1-type": "string",
        "col-in-1-values": '"ours", "theirs"',
        "in-0-1": '"ours"',
        "col-out-0-label": "right",
        "col-out-0-text": "is_right",
    }
    page = change(tolerance, do="check", **column).text
    assert "Customer" in page
    assert 'name="value-customer"' in page  # it can be tried with one
    ((draft,),) = tolerance.rows("SELECT content FROM model_drafts")
    (sheet,) = tolerance.engine.sheets(bytes(draft))
    assert [(c.label, c.text, c.type) for c in sheet.inputs][1:] == [
        ("Customer", "customer", "string")
    ]
    assert [(c.label, c.text) for c in sheet.outputs] == [("right", "is_right")]
    assert [rule.inputs for rule in sheet.rules] == [
        ("< 0.0005", '"ours"'),
        (">= 0.0005", ""),
    ]
    given = {"value-customer": "ours", **LOAD, "value-measured_kg": "100"}
    tried = change(tolerance, do="try", **column, **given).text
    assert "Rules that matched: 1" in tried
    assert "is_right" in tried
    change(tolerance, do="remove-input:1", **column)
    ((draft,),) = tolerance.rows("SELECT content FROM model_drafts")
    (sheet,) = tolerance.engine.sheets(bytes(draft))
    assert len(sheet.inputs) == 1
    assert sheet.rules[0].inputs == ("< 0.0005",)
    kept = change(tolerance, do="remove-output:0").text
    assert 'name="col-out-0-text"' in kept  # a table has one at least


def test_examples_are_kept_in_the_file_and_tried_before_deploying(
    tolerance: Studio,
) -> None:
    change(tolerance, do="add-example", **LOAD)
    right = {
        "examples": "1",
        "ex-0-measured_kg": "100",
        "ex-0-material": '{"required_kg": 100}',
        "ex-expected-0": "true",
    }
    page = change(tolerance, do="try-examples", **right).text
    assert "as expected" in page
    assert "not as expected" not in page
    wrong = right | {"ex-expected-0": "false"}
    refused = change(tolerance, do="deploy", **wrong)
    assert refused.status_code == 422
    assert "an example gives another result" in refused.text
    assert tolerance.rows("SELECT max(version) FROM decisions") == [(1,)]
    assert change(tolerance, do="deploy", **right).status_code == 303
    ((xml,),) = tolerance.rows("SELECT xml FROM decisions WHERE version = 2")
    (sheet,) = tolerance.engine.sheets(bytes(xml))
    assert sheet.examples[0].expected == "true"
    assert sheet.examples[0].given["measured_kg"] == "100"
    page = change(tolerance, do="remove-example:0", **right).text
    assert 'name="examples" value="0"' in page
