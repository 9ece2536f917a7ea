"""What cannot be read or computed is told with its cause, and nothing is guessed."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import (
    Expression,
    compile_condition,
    compile_expression,
    compile_value,
    is_expression,
)
from mpms.engine.feel import compile_feel

UNREADABLE = [
    ("", "is empty"),
    ("=", "is empty"),
    ("1 +", "has the end where a value is expected"),
    ("1 1", "has '1' where the end is expected"),
    ("a == b", "'=' compares"),
    ("(1", "has the end where '\\)' is expected"),
    ("[1, 2", "where '\\]' is expected"),
    ("]1, 2]", "where '..' is expected"),
    ("{a 1}", "a key"),
    ("{a: 1, a: 2}", "has the key 'a' twice"),
    ("'text'", "texts stand in double quotes"),
    ('"open', "without its closing quote"),
    (r'"\ud800"', "unknown escape"),
    (r'"\u0000"', "unknown escape"),
    ("1kg", "letters after the number"),
    ("a $ b", "means nothing here"),
    ("if true then 1", "where 'else' is expected"),
    ("for x return x", "where 'in' is expected"),
    ("for x in [1] x", "where 'return' is expected"),
    ("some x in [1] return x", "where 'satisfies' is expected"),
    ("frobnicate(1)", "knows no function 'frobnicate'"),
    ("__import__(1)", "knows no function '__import__'"),
    ("substring(1)", "gives 1 arguments to substring"),
    ("substring(text: 1)", "substring\\(string, start position, length\\?\\)"),
    ("contains(string: 1, 2)", "mixes named and other arguments"),
    ("is defined()", "gives 0 arguments"),
    ('@"yesterday"', "is no date, time or duration"),
    ("1 instance of nonsense", "knows no type 'nonsense'"),
    ("function(a, a) a", "the parameter 'a' twice"),
    ("function(a) external {java: {class: 1}}", "in Java"),
    ("?", "has '\\?' where a value is expected"),
    ("not approved", "write not\\(...\\)"),
    ("1" + "+1" * 6000, "longer than 10000 characters"),
    ("a" + ".b" * 200, "chains more than 100 parts"),
    ("1" + " = 1" * 200, "chains more than 100 parts"),
]
FAILING = [
    ("unheard", "knows no variable 'unheard'"),
    ("unheard + 1", "knows no variable 'unheard'"),
    ("unheard.of", "knows no variable 'unheard'"),
    ("not(unheard)", "knows no variable 'unheard'"),
    ("materials[unheard > 1]", "knows no variable 'unheard'"),
    ("nothing + 1", "cannot compute null \\+ 1"),
    ('1 + "1"', "string\\(...\\) makes text of both"),
    ("[1] + [2]", "concatenate\\(...\\) joins lists"),
    ("true * 2", "cannot compute true \\* 2"),
    ("-name", "cannot negate 'Mehl'"),
    ("1 / 0", "divides by zero"),
    ("modulo(1, 0)", "divides by zero"),
    ("sqrt(-1)", "square root of -1"),
    ("log(0)", "logarithm of 0"),
    ("(-1) ** 0.5", "a number that does not exist"),
    ("name < 3", "cannot compare 'Mehl' with 3"),
    ("urgent > true", "cannot compare true with true"),
    ("1 < 2 < 3", "cannot compare true with 3"),
    ("name and true", "needs true or false for 'and', not 'Mehl'"),
    ("false or 1", "needs true or false for 'or', not 1"),
    ("if name then 1 else 2", "needs true or false after 'if'"),
    ("some x in [1] satisfies x", "needs true or false after 'satisfies'"),
    ("not(1)", "needs a boolean as negand of not"),
    ("name.first", "cannot look up 'first' in 'Mehl'"),
    ("first.of", "cannot look up 'of' in 1"),
    ('@"2026-01-31".hour', "finds no 'hour' in a date"),
    ('materials["name"]', "filters by 'name'"),
    ("materials[1.5]", "needs a whole number, not 1.5"),
    ("for i in null return i", "iterates over null"),
    ("for i in 1..name return i", "iterates from 1 to 'Mehl'"),
    ("for i in (> 5) return i", "without an end"),
    ("5 in [null..3]", "a range with the end null"),
    ("upper case(1)", "needs a string as string of upper case"),
    ("sum([1, null])", "needs numbers for sum"),
    ('sum([1, "2"])', "needs numbers for sum"),
    ("max([1, null])", "a list with null in it"),
    ('max([1, "a"])', "cannot compare"),
    ("sort([1, null])", "with null in it"),
    ("sort([2, 1], function(a, b) a)", "sorts by"),
    ("sublist([1], 2)", "for the position 2 among 1"),
    ("string join([1])", "joins 1, which is no text"),
    ("first(1)", "knows no function|no function"),
    ("order.number(1)", "calls 7, which is no function"),
    ("(function(a) a)(1, 2)", "gives 2 arguments to a function of 1"),
    ("(function(a) a)(b: 1)", "names b where a is wanted"),
    ("(function(a: number) a)(name)", "which has another type"),
    ("function(a) a", "which is no JSON value"),
    ("[1..2]", "which is no JSON value"),
    ("{f: function(a) a}", "which is no JSON value"),
    ("9223372036854775808", "more than 64 bits"),
    ('@"999999999-12-31" + @"P1D"', "outside the years -999999999 to 999999999"),
    ('@"-999999999-01-01" - @"P1M"', "outside the years -999999999 to 999999999"),
    ('@"999999999-12-31" - @"2020-01-01"', "more than 999999999 days"),
    ('@"2026-01-31T10:00:00" < @"2026-01-31T10:00:00Z"', "with a zone and one without"),
    ('@"10:00:00" - @"10:00:00Z"', "with a zone and one without"),
    ('@"10:00:00@Europe/Berlin" < @"10:00:00Z"', "needs a date to know the offset"),
    ('matches("a", "(a")', "opens a bracket and never closes it"),
    ('matches("a", "(?=a)")', "looks around or names a group"),
    ('matches("aa", "(a)\\\\1")', "refers back to group 1"),
    ('replace("a", "x*", "b")', "matches nothing at all"),
    ('matches("a", "a", "z")', "unknown flag 'z'"),
    ('number("1", ",", ",")', "by the same sign"),
    ('assert(first, first > 5, "too few")', "too few"),
]


@pytest.mark.parametrize(("text", "cause"), UNREADABLE)
def test_an_unreadable_text_is_refused_with_the_cause(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        compile_feel(text)


@pytest.mark.parametrize(("text", "cause"), FAILING)
def test_what_cannot_be_computed_fails_with_the_cause(
    feel: Callable[[str], Any], text: str, cause: str
) -> None:
    with pytest.raises((ExpressionFailed, ExpressionInvalid), match=cause):
        feel(text)


def test_a_fault_names_the_text_and_the_place(feel: Callable[[str], Any]) -> None:
    with pytest.raises(ExpressionFailed) as failure:
        feel("1 + unheard")
    assert str(failure.value) == (
        "expression '1 + unheard' knows no variable 'unheard' (column 5)"
    )


@pytest.mark.parametrize("text", ["=nothing", "=order.missing", "=1", "=nothing > 1"])
def test_a_condition_that_is_neither_true_nor_false_is_an_error(text: str) -> None:
    variables: dict[str, object] = {"nothing": None, "order": {}}
    with pytest.raises(ExpressionFailed, match="needs true or false as a condition"):
        compile_condition(text).evaluate(variables)


def test_a_text_that_begins_with_an_equals_sign_is_feel() -> None:
    for compile_ in (compile_condition, compile_value, compile_expression):
        compiled = compile_(" =  0.1 + 0.2 = x")
        assert compiled.evaluate({"x": 0.3}) is True
        assert compiled.names == {"x"}
        assert isinstance(compiled, Expression)
    assert is_expression("=x")
    assert not is_expression("x = y")


def test_braces_still_mean_the_other_language() -> None:
    assert compile_value("${0.1 + 0.2 == 0.3}").evaluate({}) is False
    assert compile_value("a = b").evaluate({}) == "a = b"


def test_now_needs_a_clock() -> None:
    with pytest.raises(ExpressionFailed, match="no clock is given"):
        compile_feel("now()").evaluate({})
    with pytest.raises(ExpressionFailed, match="has no time zone"):
        compile_feel("today()").evaluate({}, now=datetime(2026, 1, 1))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert compile_feel("today()").evaluate({}, now=now) == "2026-01-01"


def test_the_names_are_the_variables_it_reads_and_no_others() -> None:
    text = (
        "a + b.c + (for x in xs return x + y) + {k: 1, l: k}.l "
        "+ count(list[entry > 1]) + (function(p) p + q)(1)"
    )
    assert compile_feel(text).names == {"a", "b", "xs", "y", "list", "q"}


def test_names_with_signs_are_found_where_they_are_known() -> None:
    known = frozenset({"pre-order", "Mike's age", "a and b"})
    compiled = compile_feel("pre-order + Mike's age - a and b", known)
    variables = {"pre-order": 1, "Mike's age": 2, "a and b": 3}
    assert compiled.evaluate(variables) == 0


def test_a_known_name_does_not_take_the_place_of_the_language() -> None:
    known = frozenset({"if", "in", "-x", "+", "count"})
    variables = {"x": 2, "count": 7}
    assert (
        compile_feel("if x in [1..3] then 5 -x else 0", known).evaluate(variables) == 3
    )
    assert compile_feel("count([1]) + count", known).evaluate(variables) == 8


def test_the_result_shares_nothing_with_the_variables() -> None:
    variables: dict[str, Any] = {"a": {"b": [1, 2]}}
    result: Any = compile_feel("{r: a}").evaluate(variables)
    result["r"]["b"].append(3)
    assert variables == {"a": {"b": [1, 2]}}
