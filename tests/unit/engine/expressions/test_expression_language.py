"""The expression language: what it computes and what it says when it cannot."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import (
    compile_condition,
    compile_expression,
    compile_value,
    expect_bool,
    is_expression,
)

VARIABLES: dict[str, object] = {
    "x": 5,
    "weight_kg": 12.5,
    "ok": True,
    "off": False,
    "nothing": None,
    "word": "Mehl",
    "order": {
        "number": "A-17",
        "empty": "a key that is also a word of the language",
        "items": [{"name": "salt", "kg": 2}, {"name": "flour", "kg": 3.5}],
        "Größe": 3,
    },
    "min": "a variable named like a function",
}


def value_of(text: str) -> object:
    return compile_expression(text).evaluate(VARIABLES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("2 - 3 - 4", -5),
        ("7 / 2", 3.5),
        ("7 // 2", 3),
        ("0.1 + 0.2 == 0.3", False),
        ("round(0.1 + 0.2, 3) == 0.3", True),
        ("7 % 4", 3),
        ("7 div 2", 3.5),
        ("7 mod 4", 3),
        ("-x + +1", -4),
        ("10 * 99999999999999999999 // 1000", 999999999999999999),
        ("1.5e2", 150.0),
        ("'a' + \"b\"", "ab"),
        (r"'it\'s \"\u00e4\"\n'", 'it\'s "ä"\n'),
        ("[1, 2] + [3]", [1, 2, 3]),
        ("[]", []),
        ("[1, 2,]", [1, 2]),
        ("{\"a\": 1, 'b': [x]}", {"a": 1, "b": [5]}),
        ("{}", {}),
        ("true", True),
        ("False", False),
        ("null", None),
        ("None", None),
        ("order.number", "A-17"),
        ("order.empty", "a key that is also a word of the language"),
        ('order["number"]', "A-17"),
        ('order["Größe"]', 3),
        ("order.items[0].name", "salt"),
        ("order.items[-1]['kg']", 3.5),
        ("word[0]", "M"),
        ("min", "a variable named like a function"),
        ("min(3, x)", 3),
    ],
)
def test_values_are_computed(text: str, expected: object) -> None:
    result = value_of(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x == 5", True),
        ("x eq 5.0", True),
        ("x != 5", False),
        ("x ne 5", False),
        ("x lt 6 && x gt 4", True),
        ("x <= 5 and x >= 5", True),
        ("x le 4 || x ge 6", False),
        ("'a' < 'b'", True),
        ("nothing == null", True),
        ("[1, {'a': [2.0]}] == [1, {'a': [2]}]", True),
        ("[true] == [1]", False),
        ("{'a': 1} == {'b': 1}", False),
        ("not x == 4", True),
        ("!ok == off", True),
        ("!(x == 5)", False),
        ("not off and ok", True),
        ("not not ok", True),
        ("off and missing", False),
        ("ok or missing", True),
        ("true or false and false", True),
        ("2 in [1, 2]", True),
        ("true in [1]", False),
        ("'eh' in word", True),
        ("'number' in order", True),
        ("9 not in [1, 2]", True),
        ("empty nothing", True),
        ("empty ''", True),
        ("empty []", True),
        ("empty {}", True),
        ("empty 0", False),
        ("empty(order.items)", False),
        ("not empty order.items", True),
    ],
)
def test_conditions_are_decided(text: str, expected: bool) -> None:
    assert value_of(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok ? 'a' : 'b'", "a"),
        ("'a' if off else 'b'", "b"),
        ("off ? 1 : off ? 2 : 3", 3),
        ("1 if off else 2 if off else 3", 3),
        ("ok ? 1 : missing", 1),
        ("(ok ? 1 : 2) + 1", 2),
        ("{'a': ok ? 1 : 2}", {"a": 1}),
    ],
)
def test_both_spellings_of_a_choice_work(text: str, expected: object) -> None:
    assert value_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("len(word)", 4),
        ("len(order.items)", 2),
        ("len(order)", 4),
        ("min([3, 1, 2])", 1),
        ("max(1, 2.5)", 2.5),
        ("max('a', 'b')", "b"),
        ("sum([1, 2, 0.5])", 3.5),
        ("sum([])", 0),
        ("abs(-3)", 3),
        ("round(2.567, 2)", 2.57),
        ("round(2.6)", 3),
        ("int('42')", 42),
        ("int(' -7 ')", -7),
        ("int(3.9)", 3),
        ("float('2.5')", 2.5),
        ("float(2)", 2.0),
        ("str(5) + str(true) + str(null) + str('x')", "5truex"),
        ("upper('aß')", "ASS"),
        ("lower('AB')", "ab"),
        ("contains('abc', 'b')", True),
        ("contains([1, 2], 3)", False),
        ("startswith('abc', 'ab')", True),
        ("endswith('abc', 'ab')", False),
        ("get(order, 'number')", "A-17"),
        ("get(order, 'colour', 'none')", "none"),
        ("get(order, 'colour')", None),
        ("append([1], [2])", [1, [2]]),
    ],
)
def test_the_functions_of_the_list_work(text: str, expected: object) -> None:
    assert value_of(text) == expected


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("missing", r"knows no variable 'missing' \(column 1\)"),
        ("x + missing.a", r"knows no variable 'missing' \(column 5\)"),
        ("order.colour", r"finds no key 'colour' \(column 6\)"),
        ("order['colour']", "finds no key 'colour'"),
        ("order.items[2]", "finds no item 2 among 2"),
        ("order.items['a']", "needs a whole number as index, not 'a'"),
        ("order.items[true]", "needs a whole number as index, not true"),
        ("order[0]", "needs a text as key of a map, not 0"),
        ("word.length", "cannot look up 'length' in 'Mehl'"),
        ("x.real", "cannot look up 'real' in 5"),
        ("nothing.a", "cannot look up 'a' in null"),
        ("nothing[0]", "cannot look up 0 in null"),
        ("1 / 0", r"divides by zero \(column 3\)"),
        ("1 % 0", "divides by zero"),
        ("1.0 // 0", "divides by zero"),
        ("x + 'a'", "cannot add 5 and 'a'; str"),
        ("ok + 1", "needs a number for '\\+', not true"),
        ("'a' * 3", "needs a number for '\\*', not 'a'"),
        ("[1] * 3", "needs a number for '\\*', not a list of 1"),
        ("'%s' % x", "needs a number for '%', not '%s'"),
        ("-word", "needs a number after '-', not 'Mehl'"),
        ("x < 'a'", "cannot compare 5 < 'a'"),
        ("nothing > 1", "cannot compare null > 1"),
        ("ok > 1", "cannot compare true > 1"),
        ("x and ok", "needs true or false for 'and', not 5"),
        ("off or word", "needs true or false for 'or', not 'Mehl'"),
        ("not x", "needs true or false after 'not', not 5"),
        ("!order.items", "needs true or false after '!', not a list of 2"),
        ("x ? 1 : 2", "needs true or false to choose by, not 5"),
        ("1 in x", "cannot look into 5"),
        ("1 in word", "looks for 1 where only a text can be"),
        ("1e308 * 10", "not finite"),
        ("float('1e999')", "not finite"),
        ("len(5)", "cannot measure 5"),
        ("min([])", "min\\(\\) of an empty list"),
        ("max(1, 'a')", "cannot compare 'a' > 1"),
        ("sum(['a'])", "needs a number for sum\\(\\), not 'a'"),
        ("int('4x')", "cannot make a whole number of '4x'"),
        ("int('٤')", "cannot make a whole number"),
        ("int('1_000')", "cannot make a whole number"),
        ("float('nan')", "cannot make a number of 'nan'"),
        ("float('inf')", "cannot make a number of 'inf'"),
        ("round(1.5, -1)", "0 to 15 places"),
        ("round(1.5, true)", "whole number of places"),
        ("str([1])", "cannot put a list of 1 into a text"),
        ("upper(5)", "needs a text for upper\\(\\), not 5"),
        ("get([1], 'a')", "needs a map for get\\(\\), not a list of 1"),
        ("append('a', 1)", "needs a list for append\\(\\), not 'a'"),
        ("now()", "now\\(\\) where no clock is given"),
    ],
)
def test_a_failure_names_text_cause_and_place(text: str, cause: str) -> None:
    with pytest.raises(ExpressionFailed, match=cause) as failure:
        value_of(text)
    assert str(failure.value).startswith("expression ")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("1 +", r"has the end where a value is expected \(column 4\)"),
        ("(1", "has the end where '\\)' is expected"),
        ("1 2", r"has '2' where the end is expected \(column 3\)"),
        ("x = 5", "'==' compares"),
        ("x === 5", "'==' compares"),
        ("1 < 2 < 3", "chains comparisons"),
        ("1 == 1 == true", "chains comparisons"),
        ("x == not ok", "needs brackets around 'not'"),
        ("x not 5", "'in' is expected"),
        ("a ? b", "':' is expected"),
        ("a if b", "'else' is expected"),
        ("{a: 1}", "a text as key"),
        ("{1: 1}", "a text as key"),
        ("{'a': 1, 'a': 2}", "has the key 'a' twice"),
        ("[1 2]", "',' is expected"),
        ("[,]", "a value is expected"),
        ("a.", "a key is expected"),
        ("a.5", "has '5' where a key is expected"),
        ("a[1:2]", "'\\]' is expected"),
        ("'open", "without its closing quote"),
        (r"'\x41'", r"unknown escape \\x"),
        (r"'\ud800'", "unknown escape"),
        ("007", "leading zeros"),
        ("5kg", "letters after the number 5"),
        ("0x10", "letters after the number 0"),
        ("1_000", "letters after the number 1"),
        ("1e999", "too large"),
        ("a\n+ $", r"has '\$', which means nothing here \(line 2, column 3\)"),
        ("a\u00a0+ b", "U\\+00A0"),
        ("a; b", "has ';'"),
        ("a # b", "has '#'"),
        ("len()", "gives 0 arguments to len"),
        ("len(1, 2)", "gives 2 arguments to len"),
        ("now(1)", "gives 1 arguments to now"),
    ],
)
def test_an_unreadable_text_names_cause_and_place(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        compile_expression(text)


def test_an_expression_knows_the_variables_it_reads() -> None:
    compiled = compile_expression("order.items[i].kg + max(a, b) > limit ? c : 'd'")
    assert compiled.names == {"order", "i", "a", "b", "limit", "c"}
    assert compile_value("Order ${order.number} of ${who}").names == {"order", "who"}


def test_a_compiled_expression_is_kept() -> None:
    assert compile_expression("x + 1") is compile_expression("x + 1")


def test_now_is_the_given_clock_in_utc() -> None:
    at = datetime(2026, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=3)))
    assert compile_expression("now()").evaluate({}, now=at) == "2026-03-01T06:30:00Z"


def test_now_refuses_a_clock_without_zone() -> None:
    with pytest.raises(ExpressionFailed, match="no time zone"):
        compile_expression("now()").evaluate({}, now=datetime(2026, 3, 1))


def test_a_result_shares_nothing_with_the_variables() -> None:
    variables: dict[str, object] = {"a": {"b": [1]}}
    result = compile_expression("a").evaluate(variables)
    assert isinstance(result, dict)
    result["b"].append(2)
    assert variables == {"a": {"b": [1]}}


@pytest.mark.parametrize(
    "foreign", [{1, 2}, (1, 2), b"x", datetime(2026, 1, 1, tzinfo=UTC), {1: 2}, object]
)
def test_a_value_that_is_not_json_does_not_come_out(foreign: object) -> None:
    with pytest.raises(ExpressionFailed, match=r"no JSON value|no text"):
        compile_expression("x").evaluate({"x": foreign})
    with pytest.raises(ExpressionFailed):
        compile_expression("[x].real").evaluate({"x": foreign})


@pytest.mark.parametrize("broken", [float("nan"), float("inf"), "\ud800", 2**63])
def test_a_value_that_json_cannot_carry_does_not_come_out(broken: object) -> None:
    with pytest.raises(ExpressionFailed):
        compile_expression("x").evaluate({"x": broken})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${x}", 5),
        ("  ${x}\n", 5),
        ("#{x}", 5),
        ("=x + 1", 6),
        (" = x", 5),
        ("${order.items}", [{"name": "salt", "kg": 2}, {"name": "flour", "kg": 3.5}]),
        ("${ {'a': '}'} }", {"a": "}"}),
        ("Order ${order.number}!", "Order A-17!"),
        ("${x}${ok}${nothing}${weight_kg}", "5true12.5"),
        ("a ${'${'} b", "a ${ b"),
        (r"\${x} is ${x}", "${x} is 5"),
        ("it's plain {text} for 5 $", "it's plain {text} for 5 $"),
        ("  spaces stay ", "  spaces stay "),
        ("", ""),
        ("x == 5", "x == 5"),
    ],
)
def test_an_attribute_is_value_template_or_text(text: str, expected: object) -> None:
    assert compile_value(text).evaluate(VARIABLES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${x}", True),
        ("=x", True),
        ("a ${x}", True),
        ("${x", True),
        ("a", False),
        (r"\${x}", False),
        ("", False),
    ],
)
def test_it_is_known_which_attributes_hold_an_expression(
    text: str, expected: bool
) -> None:
    assert is_expression(text) is expected


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("${x", "opens \\$\\{ and never closes it"),
        ("a ${'b}", "without its closing quote"),
        ("${}", "is empty"),
        ("=", "is empty"),
        ("ab ${x +} c", r"has the end where a value is expected \(column 9\)"),
    ],
)
def test_a_broken_attribute_names_cause_and_place(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        compile_value(text)


def test_a_template_refuses_a_list_inside_text() -> None:
    with pytest.raises(ExpressionFailed, match="cannot put a list of 2 into a text"):
        compile_value("Items: ${order.items}").evaluate(VARIABLES)


@pytest.mark.parametrize("text", ["${x > 3}", "=x > 3", "x > 3", " ${x gt 3} "])
def test_a_condition_is_written_in_three_ways(text: str) -> None:
    assert compile_condition(text).evaluate(VARIABLES) is True
    assert compile_condition(text).holds(VARIABLES) is True


@pytest.mark.parametrize("text", ["${x}", "=word", "nothing", "${order}"])
def test_a_condition_that_is_neither_true_nor_false_fails(text: str) -> None:
    with pytest.raises(ExpressionFailed, match="needs true or false as a condition"):
        compile_condition(text).evaluate(VARIABLES)


@pytest.mark.parametrize("text", ["", "${}", "${ok} && ${ok}", "yes ${ok}", "ok ok"])
def test_a_condition_that_is_no_single_expression_is_refused(text: str) -> None:
    with pytest.raises(ExpressionInvalid):
        compile_condition(text)


def test_expect_bool_names_the_value() -> None:
    assert expect_bool(False, "a") is False
    with pytest.raises(ExpressionFailed, match=r"condition 'a' should be .* but is 1"):
        expect_bool(1, "a")
