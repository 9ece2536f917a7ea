"""Answers against a form, without a database."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpms.domain.errors import FormInvalid
from mpms.domain.forms import check_answers, fields
from mpms.engine.feel.lenient import value_or_null


def form(*components: dict[str, Any]) -> dict[str, Any]:
    return {"id": "f", "components": list(components)}


def field(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "key": "x", "label": "The field", **more}


REQUIRED = {"validate": {"required": True}}
COLOURS = {"values": [{"label": "Red", "value": "red"}, {"value": 7}]}


@pytest.mark.parametrize(
    ("component", "value"),
    [
        (field("textfield"), "hello"),
        (field("textfield"), ""),
        (field("textfield", validate={"minLength": 2, "maxLength": 3}), "abc"),
        (field("number"), 0),
        (field("number"), -1.5),
        (field("number", validate={"min": 1, "max": 2}), 2),
        (field("checkbox"), True),
        (field("checkbox"), False),
        (field("radio", **COLOURS), "red"),
        (field("select", **COLOURS), 7),
    ],
)
def test_a_fitting_answer_is_taken_as_it_is(
    component: dict[str, Any], value: Any
) -> None:
    assert check_answers(form(component), {"x": value}, feel=value_or_null) == {
        "x": value
    }


@pytest.mark.parametrize(
    ("component", "value", "reason"),
    [
        (field("textfield", **REQUIRED), "", "please fill this in."),
        (field("textfield", **REQUIRED), None, "please fill this in."),
        (field("checkbox", **REQUIRED), False, "please fill this in."),
        (field("checkbox", **REQUIRED), "yes", "please fill this in."),
        (field("textfield"), 7, "must be text."),
        (field("textfield", validate={"maxLength": 3}), "abcd", "at most 3 char"),
        (field("textfield", validate={"minLength": 3}), "ab", "at least 3 char"),
        (field("number"), "7", "must be a number."),
        (field("number"), True, "must be a number."),
        (field("number"), float("nan"), "must be a number."),
        (field("number"), float("-inf"), "must be a number."),
        (field("number", validate={"min": 1}), 0.9, "must be at least 1."),
        (field("number", validate={"max": "5"}), 6, "must be at most 5."),
        (field("radio", **COLOURS), "blue", "is not one of the choices."),
        (field("select", **COLOURS), ["red"], "is not one of the choices."),
    ],
)
def test_a_wrong_answer_names_the_field_and_the_reason(
    component: dict[str, Any], value: Any, reason: str
) -> None:
    with pytest.raises(FormInvalid) as refused:
        check_answers(form(component), {"x": value}, feel=value_or_null)
    assert str(refused.value).startswith("The field: ")
    assert reason in str(refused.value)


def test_every_wrong_field_is_named_at_once() -> None:
    asked = form(
        {**field("number"), "key": "a", "label": "First"},
        {**field("textfield"), "key": "b"} | {"label": ""},
    )
    with pytest.raises(FormInvalid, match=r"First: must be.* b: must be"):
        check_answers(asked, {"a": "x", "b": 1}, feel=value_or_null)


def test_fields_are_found_in_groups_and_in_order() -> None:
    asked = form(
        {"type": "text", "text": "read this"},
        {
            "type": "group",
            "components": [
                {**field("number"), "key": "a"},
                {"type": "group", "components": [{**field("number"), "key": "b"}]},
            ],
        },
        {**field("number"), "key": "c"},
        {**field("number"), "key": "hidden", "disabled": True},
        {**field("number"), "key": "shown", "readonly": True},
        {"type": "button", "key": "send"},
    )
    assert [f["key"] for f in fields(asked)] == ["a", "b", "c"]


@given(
    st.dictionaries(
        st.sampled_from(["x", "y", "is_admin", "__class__", ""]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    )
)
def test_whatever_is_posted_only_what_is_asked_for_comes_out(
    posted: dict[str, Any],
) -> None:
    asked = form(field("number"), {**field("textfield"), "key": "y"})
    try:
        accepted = check_answers(asked, posted, feel=value_or_null)
    except FormInvalid:
        return
    assert set(accepted) <= {"x", "y"}
    assert all(accepted[key] is posted[key] for key in accepted)
