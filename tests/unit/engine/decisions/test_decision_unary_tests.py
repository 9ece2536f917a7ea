"""The cells of input columns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.decisions.unary_tests import compile_unary_test


@pytest.mark.parametrize(
    ("text", "holding", "failing"),
    [
        ("-", [1, "a", None, [], True], []),
        ("", [1, None], []),
        ("5", [5, 5.0], [4, "5", None, True]),
        ("-5", [-5], [5]),
        ("2.5", [2.5], [2]),
        ('"gold"', ["gold"], ["Gold", None, 1]),
        ("'gold'", ["gold"], ["silver"]),
        ('"-"', ["-"], [1]),
        ('"a,b"', ["a,b"], ["a"]),
        ("true", [True], [False, 1, None]),
        ("null", [None], [0, ""]),
        ("< 5", [4, -1], [5, 6, None]),
        ("<= 5", [5, 4.9], [5.1]),
        ("> -5", [0], [-5]),
        (">= 5", [5], [4]),
        ('< "m"', ["a"], ["z"]),
        ("[1..5]", [1, 3, 5], [0, 6, None]),
        ("(1..5]", [1.1, 5], [1]),
        ("]1..5]", [2, 5], [1]),
        ("[1..5)", [1], [5]),
        ("[1..5[", [1, 4], [5]),
        ("]1..5[", [2], [1, 5]),
        ("(-5..-1)", [-3], [-5, -1]),
        ("[1.5..2.5]", [1.5, 2], [1.4]),
        ('["a".."c"]', ["b"], ["d"]),
        ("4, 5, 6", [4, 5, 6], [7]),
        ("< 1, [5..6[, 9", [0, 5, 9], [1, 6, 8]),
        ("[1..2[, ]5..6]", [1, 6], [2, 5]),
        ('"a", null', ["a", None], ["b"]),
        ("not(5)", [4, None, "5"], [5]),
        ('not("a", "b")', ["c"], ["a", "b"]),
        ("not([1..5], > 9)", [6, 9], [1, 10]),
        ("not(5), 5", [4, 5], []),
        ("? > 3", [4], [3]),
        ("? > 3 and ? < 9", [4], [3, 9]),
        ("? in [1, 2, 3]", [2], [4]),
        ("? % 2 == 0, 7", [4, 7], [5]),
        ("contains(str(?), 'a')", ["cat"], ["dog"]),
        ("not(? > 3)", [3], [4]),
        ("? == limit", [10], [9]),
        ("empty ?", [None, "", []], [0, "a"]),
    ],
)
def test_a_cell_decides(
    text: str, holding: list[object], failing: list[object]
) -> None:
    cell = compile_unary_test(text)
    for value in holding:
        assert cell.holds(value, {"limit": 10}), value
    for value in failing:
        assert not cell.holds(value, {"limit": 10}), value


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("gold", "has 'gold', which is no literal; quote it"),
        ("< limit", r"has 'limit', which is no literal.* \(column 3\)"),
        ("5 6", "',' or the end is expected"),
        ("5,", "is expected"),
        (",5", "is expected"),
        ("[1..5", "is expected"),
        ("[1..", "is expected"),
        ("[1 5]", "is expected"),
        ("[1,5]", "is expected"),
        ("1..5", "',' or the end is expected"),
        ("<", "is expected"),
        ("< true", "needs a number or a text to compare with"),
        ("[null..5]", "needs a number or a text to compare with"),
        ("-'a'", "a number is expected"),
        ("not(5", "'\\)' is expected"),
        ("not(not(5))", "inside a 'not\\('"),
        ("not 5", "is expected"),
        ("not()", "is expected"),
        ("- 5, -", "a number is expected"),
        ("== 5", "is expected"),
        ("? = 5", "'==' compares"),
        ("? >", "a value is expected"),
        ('date("2026-01-01")', "which is no literal"),
        ("< 1 and > 3", "',' or the end is expected"),
        ("?.__class__", "may not begin with '_'"),
        ("__import__('os')", "may not begin with '_'"),
        ("9" * 40, "beyond 10"),
        ("5, " * 5000, "longer than 10000"),
        ("? > " + "(" * 500, "nested more than 50 levels"),
    ],
)
def test_an_unreadable_cell_names_cause(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        compile_unary_test(text)


@pytest.mark.parametrize(
    ("text", "value", "cause"),
    [
        ("< 5", "4", "cannot compare '4' < 5"),
        ("[1..5]", True, "cannot compare true >= 1"),
        ('< "b"', 1, "cannot compare 1 < 'b'"),
        ("? + 1", 1, "should be true or false, but is 2"),
        ("? > missing", 1, "knows no variable 'missing'"),
    ],
)
def test_a_value_that_cannot_be_compared_is_an_error_not_a_miss(
    text: str, value: object, cause: str
) -> None:
    with pytest.raises(ExpressionFailed, match=cause):
        compile_unary_test(text).holds(value, {})


def test_a_cell_knows_the_variables_it_reads() -> None:
    assert compile_unary_test("? > a and ? < b, 5").names == {"a", "b"}


parts = [
    *(
        "-",
        "not(",
        ")",
        "(",
        "[",
        "]",
        "..",
        "1",
        "5",
        "'a'",
        ",",
        "<",
        ">=",
        "? ",
        "?",
    ),
    *("true", "null", "x", "and", "in", " ", "2.5", "{", "}", "len("),
]


@settings(derandomize=True, deadline=None, database=None, max_examples=200)
@given(
    st.one_of(st.text(max_size=20), st.lists(st.sampled_from(parts)).map("".join)),
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
)
def test_any_cell_holds_or_not_or_gives_one_of_two_errors(
    text: str, value: object
) -> None:
    try:
        result = compile_unary_test(text).holds(value, {"x": 1})
    except (ExpressionInvalid, ExpressionFailed):
        return
    assert isinstance(result, bool)


bounds = st.integers(-5, 5)


@settings(derandomize=True, deadline=None, database=None, max_examples=100)
@given(st.sampled_from("[(]"), bounds, bounds, st.sampled_from("])["), bounds)
def test_an_interval_means_its_two_comparisons(
    opening: str, low: int, high: int, closing: str, value: int
) -> None:
    above = value >= low if opening == "[" else value > low
    below = value <= high if closing == "]" else value < high
    cell = compile_unary_test(f"{opening}{low}..{high}{closing}")
    assert cell.holds(value, {}) is (above and below)
