"""Claims about every value and every text, tried on many."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.feel import compile_feel, compile_unary_tests
from mpms.engine.feel.temporal import feel_text, parse_any
from mpms.engine.feel.values import Months

PROFILE = settings(derandomize=True, deadline=None, database=None, max_examples=60)

texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.floats(-(2.0**53), 2.0**53),
    texts,
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)
    ),
    max_leaves=12,
)
numbers = st.decimals(
    min_value=-(10**9), max_value=10**9, places=3, allow_nan=False
).map(lambda number: float(number))


def feel(text: str, **variables: Any) -> Any:
    return compile_feel(text).evaluate(variables)


@PROFILE
@given(values)
def test_what_goes_in_comes_out_again(value: object) -> None:
    found = feel("x", x=value)
    assert found == value
    json.dumps(found, allow_nan=False)


@PROFILE
@given(values)
def test_every_value_equals_itself_and_is_in_a_list_of_itself(value: object) -> None:
    assert feel("x = x", x=value) is True
    assert feel("x in [x]", x=value) is True
    assert feel("count(distinct values([x, x]))", x=value) == 1


@PROFILE
@given(scalars, scalars)
def test_equality_is_the_same_both_ways(left: object, right: object) -> None:
    assert feel("x = y", x=left, y=right) == feel("y = x", x=left, y=right)


@PROFILE
@given(numbers, numbers)
def test_sums_and_products_are_those_of_decimals(left: float, right: float) -> None:
    a, b = Decimal(repr(left)), Decimal(repr(right))
    assert Decimal(repr(feel("x + y", x=left, y=right))) == Decimal(repr(float(a + b)))
    assert feel("x + y - y = x", x=left, y=right) is True
    assert feel("x * y = y * x", x=left, y=right) is True


@PROFILE
@given(numbers, numbers, numbers)
def test_order_is_the_same_in_all_its_spellings(a: float, b: float, c: float) -> None:
    given_ = {"a": a, "b": b, "c": c}
    inside = b <= a <= c
    for text in ("a between b and c", "a in [b..c]", "a >= b and a <= c"):
        assert feel(text, **given_) is inside
    tests = compile_unary_tests("[b..c]")
    assert tests.matches(a, given_) is inside
    assert compile_unary_tests("not([b..c])").matches(a, given_) is not inside


@PROFILE
@given(texts)
def test_a_text_survives_its_own_spelling(text: str) -> None:
    text = text.replace("\0", "")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    assert feel(f'"{escaped}"') == text


@PROFILE
@given(texts, texts)
def test_text_functions_agree_with_each_other(text: str, part: str) -> None:
    given_ = {"t": text, "p": part}
    assert feel("contains(t, p)", **given_) is (part in text)
    assert feel("starts with(t + p, t) and ends with(t + p, p)", **given_) is True
    assert feel("string length(t + p) = string length(t) + string length(p)", **given_)
    assert feel('matches(t, p, "q")', **given_) is (part in text)


@PROFILE
@given(
    st.one_of(
        st.dates(),
        st.datetimes(),
        st.times(),
        st.timedeltas(timedelta(days=-99999), timedelta(days=99999)),
        st.integers(-99999, 99999).map(Months),
    )
)
def test_a_date_or_duration_survives_its_own_spelling(
    value: date | datetime | time | timedelta | Months,
) -> None:
    assert parse_any(feel_text(value) or "") == value


@PROFILE
@given(st.dates(date(2, 1, 1), date(9000, 1, 1)), st.integers(-300, 300))
def test_days_added_are_days_taken(day: date, days: int) -> None:
    given_ = {"d": day.isoformat(), "n": days}
    assert feel('date(d) + n * @"P1D" - n * @"P1D" = date(d)', **given_) is True
    assert feel('(date(d) + n * @"P1D" - date(d)) / @"P1D"', **given_) == days


SOUP = [
    *("a", "b", "a.k", "1", "2.5", '"k"', "[]", "{}", "null", "true", "?", "item"),
    *("+", "-", "*", "/", "**", "=", "!=", "<", ">=", "in", "between", "and", "or"),
    *("if", "then", "else", "for", "return", "some", "every", "satisfies", "x"),
    *("(", ")", "[", "]", "{", "}", ",", ".", "..", ":", "instance of", "number"),
    *("function(", "not(", "count(", "sum(", "date(", '@"P1D"', '@"2026-01-31"'),
    *("string(", "sort(", "is defined(", "get or else(", '"', "'", "\\", "`", "\n"),
]


@settings(PROFILE, max_examples=200)
@given(st.lists(st.sampled_from(SOUP), max_size=14).map(" ".join))
def test_any_text_gives_json_or_one_of_two_errors(text: str) -> None:
    variables: Mapping[str, Any] = {"a": {"k": 1}, "b": [1, None, "x"], "x": 2}
    with suppress(ExpressionFailed, ExpressionInvalid):
        json.dumps(compile_feel(text).evaluate(variables), allow_nan=False)
    with suppress(ExpressionFailed, ExpressionInvalid):
        assert compile_unary_tests(text).matches(1, variables) in (True, False)


@settings(PROFILE, max_examples=100)
@given(
    st.text("ab(|)*+?[]^$.{2,}\\d", max_size=10),
    st.text("ab2", max_size=12),
)
def test_a_pattern_agrees_with_the_usual_engine_or_is_refused(
    pattern: str, text: str
) -> None:
    import re

    try:
        found = feel("matches(t, p)", t=text, p=pattern)
    except ExpressionFailed:
        return
    try:
        usual = re.compile(pattern)
    except re.error:
        pytest.fail(f"{pattern!r} was taken, but is no pattern")
    assert found is (usual.search(text) is not None), (pattern, text)
