"""The cells of decision tables."""

from datetime import UTC, datetime

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.feel import compile_unary_tests

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
VARIABLES = {"limit": 10, "wanted": ["a", "b"], "flag": True, "a": 1}
CELLS = [
    ("", 5, True),
    ("-", None, True),
    ("5", 5, True),
    ("5", 5.0, True),
    ("5", 6, False),
    ("5", None, False),
    ("5", "5", False),
    ('"a"', "a", True),
    ('"a", "b"', "b", True),
    ('"a", "b"', "c", False),
    ("1, 2, 3", 3, True),
    ("true", True, True),
    ("true", False, False),
    ("false", False, True),
    ("null", None, True),
    ("null", 1, False),
    ("not(null)", 1, True),
    ("not(null)", None, False),
    ("< 5", 4, True),
    ("< 5", 5, False),
    ("<= 5", 5, True),
    ("> 5", 6, True),
    (">= 5", 5, True),
    ("< 5", None, False),
    ("< 5, > 10", 11, True),
    ("< 5, > 10", 7, False),
    ("[1..5]", 5, True),
    ("[1..5)", 5, False),
    ("(1..5]", 1, False),
    ("]1..5[", 1, False),
    ("]1..5[", 3, True),
    ("[1..5], [10..15]", 12, True),
    ("not(5)", 5, False),
    ("not(5)", 6, True),
    ("not(1, 2)", 3, True),
    ("not(< 5)", 5, True),
    ("not([1..5])", 3, False),
    ('not("a", "b")', "c", True),
    ("not(> 5)", None, False),
    ('not("a")', None, True),
    ("< limit", 9, True),
    ("limit", 10, True),
    ("limit, 20", 20, True),
    ("limit * 2", 20, True),
    ("[a..limit]", 5, True),
    ("wanted", "b", True),
    ("wanted", "c", False),
    ("flag", True, True),
    ("flag", False, False),
    ("? > limit", 11, True),
    ("? > limit", 9, False),
    ("? * 2 = limit, 1", 5, True),
    ('contains(?, "x")', "axb", True),
    ("not(?)", False, True),
    ('not(contains(?, "x")) and true', "ab", True),
    ("? in (1, 2)", 2, True),
    ("modulo(?, 2) = 0", 4, True),
    ("limit > 5", "anything", True),
    ("limit > 50", "anything", False),
    ("[1, 2]", 2, True),
    ("[1, 2]", [1, 2], True),
    ('date("2026-01-31")', "2026-01-31", False),
    ('date(?) > @"2026-01-01"', "2026-01-31", True),
    ("date(?) <= today()", "2026-01-31", True),
    ("if limit > 5 then 1 else 2", 1, True),
    ("-5", -5, True),
    ("[-5..-1]", -3, True),
    ("some x in ? satisfies x > 3", [1, 4], True),
    ("?.kg > 3", {"kg": 4}, True),
    (" - ", 1, True),
]


@pytest.mark.parametrize(("text", "value", "held"), CELLS)
def test_a_cell_holds_as_the_standard_says(
    text: str, value: object, held: bool
) -> None:
    assert compile_unary_tests(text).matches(value, VARIABLES, now=NOW) is held


@pytest.mark.parametrize(
    ("text", "value", "cause"),
    [
        ("< 5", "four", "cannot compare 'four' with 5"),
        ("[1..5]", "four", "cannot compare"),
        ("unheard", 1, "knows no variable 'unheard'"),
        ("? + 1", 1, "should be true or false"),
        ("< null", 1, "a range with the end null"),
    ],
)
def test_a_cell_that_cannot_be_evaluated_fails_with_the_cause(
    text: str, value: object, cause: str
) -> None:
    with pytest.raises(ExpressionFailed, match=cause):
        compile_unary_tests(text).matches(value, VARIABLES)


@pytest.mark.parametrize("text", ["1,", ",1", "1 2", "not(1", "[1..", "< ", "- 5 -"])
def test_an_unreadable_cell_is_refused(text: str) -> None:
    with pytest.raises(ExpressionInvalid, match="input entry"):
        compile_unary_tests(text)


def test_a_cell_tells_when_it_is_a_single_name() -> None:
    assert compile_unary_tests("urgent").only_name == "urgent"
    assert compile_unary_tests("very urgent").only_name == "very urgent"
    for text in ('"urgent"', "urgent, 5", "? = urgent", "urgent.now", "-"):
        assert compile_unary_tests(text).only_name is None
