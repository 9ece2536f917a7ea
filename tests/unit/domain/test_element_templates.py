"""Element templates: what a file may say, and what is refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.models.templates import check_templates, read_templates, version_of

SHIPPED = Path(__file__).parents[2] / "data/element-templates/barcode_label.json"


def template(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": "a",
        "name": "A",
        "appliesTo": ["bpmn:Task"],
        "properties": [],
    }
    return made | changes


def prop(**changes: Any) -> dict[str, Any]:
    binding = {"type": "camunda:inputParameter", "name": "x"}
    return {"label": "L", "type": "String", "binding": binding} | changes


def test_a_file_holds_one_template_or_many() -> None:
    content = SHIPPED.read_bytes()
    assert check_templates(content) == []
    assert [version_of(one) for one in read_templates(content)] == [2, 1]
    assert check_templates(json.dumps(template()).encode()) == []


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ([], "holds no element template"),
        (["x"], "an object with id, name and appliesTo"),
        ({"name": "no id"}, "an object with id, name and appliesTo"),
        (template(name=""), "has no name"),
        (template(appliesTo=[]), "appliesTo is a list"),
        (template(version="1"), "version is a whole number"),
        (template(scopes=[{"type": "camunda:Connector"}]), "scopes"),
        (template(properties={}), "properties is a list"),
        ([template(), template()], "there twice"),
        (template(properties=["x"]), "property 1 is no object"),
        (template(properties=[prop(type="Colour")]), "type 'Colour'"),
        (template(properties=[prop(binding=None)]), "'L' has no binding"),
        (
            template(properties=[prop(binding={"type": "camunda:field", "name": "x"})]),
            "'camunda:field', which is not filled in here",
        ),
        (
            template(properties=[prop(binding={"type": "zeebe:taskHeader"})]),
            "without its key",
        ),
        (template(properties=[prop(type="Dropdown")]), "without choices"),
        (template(properties=[prop(constraints=[])]), "constraints"),
        (template(properties=[prop(condition=1)]), "condition"),
    ],
)
def test_what_cannot_be_filled_in_is_refused_by_name(found: Any, why: str) -> None:
    (problem,) = check_templates(json.dumps(found).encode())
    assert why in problem.reason


def test_a_file_that_is_no_json_says_so() -> None:
    (problem,) = check_templates(b"{")
    assert "not readable JSON" in problem.reason
