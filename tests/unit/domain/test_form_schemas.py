"""What is refused when a form is deployed, and rules that no answer can break."""

from __future__ import annotations

import json
import random
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpms.domain.errors import FormInvalid
from mpms.domain.forms import Reading, check_answers, check_form, check_schema
from mpms.domain.forms.conditions import ConditionUnreadable, Names, parse
from mpms.domain.forms.patterns import PatternRefused, portable
from mpms.engine.feel.lenient import value_or_null

TYPES = (
    *("textfield", "textarea", "number", "checkbox", "datetime", "select", "radio"),
    *("checklist", "taglist", "scan", "weigh", "photo", "signature"),
)


def field(kind: str = "textfield", **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": "the_id", "key": "x", "label": "Field", **more}


def problems(*components: Any) -> list[str]:
    return [p.reason for p in check_schema({"components": list(components)})]


@pytest.mark.parametrize(
    ("component", "reason"),
    [
        (field("colour"), "the field type 'colour' is not known"),
        (field("html"), "'html' is refused: it could bring scripts"),
        (field("iframe"), "'iframe' is refused"),
        (field("dynamiclist"), "'dynamiclist' is refused"),
        ({"id": "a"}, "the field type None is not known"),
        ({"type": ["text"]}, "is not known"),
        ("text", "a component is a JSON object"),
        (field(key=None), "the key None is missing"),
        (field(key=""), "the key '' is missing"),
        (field(key="a.b"), "not a plain name"),
        (field(key="__proto__"), "not a plain name"),
        (field(validate="no"), "validate is an object"),
        (field(validate={"required": "yes"}), "required is true or false"),
        (field(validate={"maxLength": -1}), "maxLength -1 is not a whole number"),
        (field(validate={"minLength": "x"}), "minLength 'x' is not a whole number"),
        (field(validate={"pattern": "(a+)+$"}), "repeats a repetition"),
        (field(validate={"pattern": "["}), "[ without its ]"),
        (field(validate={"pattern": 7}), "has to be text"),
        (field(validate={"validationType": "iban"}), "'iban' is not known"),
        (field(conditional={"hide": "=a +"}), "cannot be read from '+'"),
        (field(conditional={"hide": "=system(1)"}), "system() is not known"),
        (field(conditional={"hide": 5}), "has to be text"),
        (field(conditional="=a"), "conditional is an object"),
        (field(readonly="=a b"), "'b' is not expected there"),
        (field("number", validate={"min": "=1 > 2"}), "not the path of a variable"),
        (field("number", validate={"max": "many much"}), "not expected there"),
        (field("number", decimalDigits=1.5), "decimalDigits 1.5"),
        (field("number", serializeToString=True), "serializeToString"),
        (field("select"), "choices come from one of"),
        (field("select", values=[], valuesKey="a"), "choices come from one of"),
        (field("radio", values=[]), "values is a list of choices"),
        (field("radio", values=[{"label": "A"}]), "a choice needs a value"),
        (field("radio", values=[{"value": "a"}, {"value": "a"}]), "of its own"),
        (field("radio", values=[{"value": {}}]), "a choice needs a value"),
        (field("taglist", valuesExpression="=count(a)"), "not the path"),
        (field("datetime", subtype="week"), "'week' is not date"),
        (field("datetime", validate={"min": 5}), "min has to be a date"),
        (field("weigh", unit="lb"), "weights are in kg"),
        (field("weigh", tolerance_kg=1, tolerance_percent=1), "exclude each other"),
        (field("weigh", target="=a >"), "ends too early"),
        (field("scan", expected="=a = 1"), "not the path"),
        (field("photo", validate={"maxBytes": 10**9}), "maxBytes"),
        ({"type": "text", "text": "{{#loop a}}"}, "cannot be read"),
        ({"type": "text", "text": 5}, "text has to be text"),
        (field(label="{{count(a)}}"), "not the path"),
        ({"type": "table", "columns": [{"key": "a"}]}, "dataSource None"),
        ({"type": "table", "dataSource": "=a"}, "a table needs columns"),
        ({"type": "image", "source": "https://example.org/a.png"}, "this server"),
        ({"type": "image", "source": "//example.org/a.png"}, "this server"),
        ({"type": "image", "source": "javascript:alert(1)"}, "this server"),
        ({"type": "image", "source": "data:image/svg+xml;base64,AA=="}, "this server"),
        ({"type": "button", "action": "delete"}, "submit or reset"),
        ({"type": "group", "path": "a", "components": []}, "group with a path"),
        ({"type": "group", "components": 5}, "a group needs a list"),
    ],
)
def test_what_cannot_be_honoured_is_refused(component: Any, reason: str) -> None:
    found = problems(component)
    assert len(found) == 1
    assert reason in found[0]


def test_a_problem_names_the_field() -> None:
    (problem,) = check_schema({"components": [field("colour")]})
    assert (problem.element, problem.name) == ("the_id", "Field")


def test_a_key_is_used_once_even_across_groups() -> None:
    twice = problems(field(), {"type": "group", "components": [field()]})
    assert twice == ["the key 'x' is used twice"]


def test_an_endless_form_is_refused() -> None:
    inner: dict[str, Any] = field()
    for _ in range(600):
        inner = {"type": "group", "components": [inner]}
    assert "too large" in problems(inner)[0]
    many = [field(key=f"k{n}") for n in range(600)]
    assert "too large" in problems(*many)[0]


def test_a_form_with_an_unknown_type_is_not_deployed() -> None:
    content = json.dumps({"id": "f", "components": [field("colour")]}).encode()
    assert [p.element for p in check_form(content)] == ["the_id"]
    content = json.dumps({"id": "f", "components": [field()]}).encode()
    assert check_form(content) == []


def test_answers_to_a_form_that_cannot_be_read_are_refused() -> None:
    broken = {"components": [field(conditional={"hide": "=("})]}
    with pytest.raises(FormInvalid, match="The form cannot be used"):
        check_answers(broken, {"x": "a"}, feel=value_or_null)


@pytest.mark.parametrize(
    "text",
    [
        *("a =", "= =", "a b", "(a", "a)", "not a", "and", "a and", "'a'", '"a'),
        *("a[1]", "a..b", "1.", "not(a, b)", "contains(a)", "if a then b", "a; b"),
        *("list contains", "((((" * 20, "a" * 1001, ""),
    ],
)
def test_other_expressions_are_unreadable(text: str) -> None:
    with pytest.raises(ConditionUnreadable):
        parse(text)


@pytest.mark.parametrize(
    "pattern",
    [
        *("(a+)+", "(a*)*b", "(a|b)*", "(a|aa)+$", "((a{1,9}){1,9}){1,9}", "(a?)*"),
        *(".*.*.*.*", "a+a+a+a+$", "^.*.*.*.*.*$", "a**", "a+?", "(?=a)", "(?P<n>a)"),
        *(r"(a)\1", r"\bword", r"\x41", r"\p{L}", "[z-a]", "[", "(", ")", "a{2", "]"),
        *("*a", "a{3,2}", "x" * 201, "[&&]", "[]", r"[a\b]", "^*"),
    ],
)
def test_dangerous_or_foreign_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(PatternRefused):
        portable(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"^[A-Z]{2}-\d{4}$", r"^L-\d+(-\d+)?$", "^(red|green|blue)$", "lot", r"\."),
        *(r"^[^@]+@[^@]+\.[^@]+$", r"^[\w.-]+$", "^(ab){3}$", r"^\S+ \S+$", "[+*?]"),
    ],
)
def test_ordinary_patterns_are_taken(pattern: str) -> None:
    assert re.compile(portable(pattern))


def test_a_pattern_means_what_it_meant() -> None:
    seed = 20_261_116
    chance = random.Random(seed)
    pieces = [
        "a",
        "b",
        "[ab]",
        "[^a]",
        ".",
        r"\d",
        r"\w",
        r"\S",
        "(ab)",
        "(a|b)",
        r"\.",
    ]
    counts = ["", "", "?", "+", "{2}", "{1,3}"]
    for _ in range(300):
        pattern = "^" + "".join(
            chance.choice(pieces) + (chance.choice(counts) if n < 2 else "")
            for n in range(chance.randint(1, 4))
        )
        try:
            rewritten = portable(pattern)
        except PatternRefused:
            continue
        for _ in range(20):
            text = "".join(chance.choices("ab1. \n", k=chance.randint(0, 6)))
            expected = bool(re.search(pattern, text, re.ASCII))
            assert bool(re.search(rewritten, text)) is expected, (seed, pattern, text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "value", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
rules = st.fixed_dictionaries(
    {},
    optional={
        "required": st.booleans(),
        "min": values,
        "max": values,
        "minLength": values,
        "maxLength": st.integers(0, 9),
        "pattern": st.sampled_from(["^a", "b+$", "(a+)+", "[", r"\d{2}"]),
        "validationType": st.sampled_from(["email", "phone", "", "x"]),
    },
)
components = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES), "key": st.sampled_from(["a", "b", "x", "y"])},
    optional={
        "validate": rules,
        "conditional": st.fixed_dictionaries(
            {"hide": st.sampled_from(["=a", "=b = 1", "=not(x)", "=count(a) > 1", "="])}
        ),
        "values": st.lists(values, max_size=3),
        "valuesKey": st.sampled_from(["a", "list"]),
        "target": values,
        "tolerance_kg": st.sampled_from([0, 1, "=a", "=x.a"]),
        "tolerance_percent": st.sampled_from([1, "=b"]),
        "expected": st.sampled_from(["=a", "=list"]),
        "subtype": st.sampled_from(["date", "time", "datetime", 7]),
        "disallowPassedDates": st.booleans(),
        "decimalDigits": st.integers(-1, 16),
        "readonly": st.sampled_from([True, False, "=a", "=("]),
        "disabled": st.booleans(),
    },
)


@settings(deadline=None, derandomize=True)
@given(
    st.lists(components, max_size=4),
    st.dictionaries(st.sampled_from(["a", "b", "x", "y", "z"]), values, max_size=5),
    st.dictionaries(st.sampled_from(["a", "b", "list"]), values, max_size=3),
)
def test_whatever_is_posted_to_whatever_form_only_the_form_is_named_as_wrong(
    asked: list[dict[str, Any]], posted: dict[str, Any], variables: dict[str, Any]
) -> None:
    form = {"components": asked}
    try:
        accepted = check_answers(
            form, posted, variables, today=date(2026, 11, 16), feel=value_or_null
        )
    except FormInvalid:
        return
    asked_for = {field["key"] for field in Reading(form).fields}
    assert set(accepted) <= asked_for
    assert all(accepted[key] is posted[key] for key in accepted)


@settings(deadline=None, derandomize=True)
@given(
    st.text(alphabet='ab.=<>!()," 0123456789andorotlistcou', max_size=40),
    st.dictionaries(st.sampled_from(["a", "b", "n", "d", "o"]), values, max_size=3),
)
def test_an_expression_is_unreadable_or_has_a_value(
    text: str, names: dict[str, Any]
) -> None:
    try:
        tree = parse(text)
    except ConditionUnreadable:
        return
    known = Names(names, value_or_null)
    first = known.value_of(tree)
    again = known.value_of(json.loads(json.dumps(tree)))
    assert first is again or repr(first) == repr(again)


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=30))
def test_a_pattern_is_refused_or_runs(pattern: str) -> None:
    try:
        rewritten = portable(pattern)
    except PatternRefused:
        return
    assert re.compile(rewritten).groups == 0
