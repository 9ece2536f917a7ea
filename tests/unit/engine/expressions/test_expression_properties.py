"""Claims about every text and every variable, tried on many."""

import json
import math
import operator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import (
    compile_condition,
    compile_expression,
    compile_script,
    compile_value,
    is_expression,
    parse_cycle,
    parse_duration,
    parse_instant,
    parse_retry_cycle,
)

settings.register_profile("expressions", derandomize=True, deadline=None, database=None)
PROFILE = settings.get_profile("expressions")

NAMES = ["a", "b", "c", "a.k", "b[0]", "0", "1", "2.5", "1e9", "'k'", '""', "[]", "{}"]
SIGNS = [
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "not in",
]
LOGIC = ["and", "or", "&&", "||", "eq", "lt", "div", "mod"]
LOOSE = [
    *("true", "null", "None", "not", "if", "else", "empty", "!", "=", "+=", ";", "#"),
    *("(", ")", "[", "]", "{", "}", ",", ".", ":", "?", "${", "len(", "sum(", "get("),
    *("append(", "int(", "float(", "round(", "now(", "9" * 30, "'", '"', "\n"),
]
token_soup = st.lists(st.sampled_from(NAMES + SIGNS + LOGIC + LOOSE), max_size=14).map(
    " ".join
)
balanced = st.recursive(
    st.sampled_from([*NAMES, "true", "null"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(SIGNS + LOGIC), inner).map(" ".join),
        inner.map(lambda t: f"({t})"),
        inner.map(lambda t: f"[{t}]"),
        inner.map(lambda t: f"({t}).k"),
        inner.map(lambda t: f"b[{t}]"),
        st.tuples(
            st.sampled_from(["len", "str", "sum", "abs", "int", "max"]), inner
        ).map(lambda pair: f"{pair[0]}({pair[1]})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
    ),
    max_leaves=12,
)
any_text = st.one_of(st.text(max_size=60), token_soup, balanced)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["k", "a", "n"]), inner, max_size=3)
    ),
    max_leaves=8,
)
variables = st.one_of(
    st.dictionaries(st.sampled_from(["a", "b", "c"]), json_values),
    st.fixed_dictionaries({"a": json_values, "b": json_values, "c": json_values}),
    st.just({"a": {"k": 2}, "b": [{"k": "k"}, 1], "c": True}),
)


@settings(PROFILE, max_examples=300)
@given(any_text, variables)
def test_any_text_gives_a_json_value_or_one_of_two_errors(
    text: str, given_variables: dict[str, object]
) -> None:
    before = json.dumps(given_variables)
    is_expression(text)
    for compiler, wrapped in (
        (compile_expression, text),
        (compile_condition, text),
        (compile_value, text),
        (compile_value, f"${{{text}}}"),
        (compile_value, f"a ${{{text}}} b"),
    ):
        try:
            result = compiler(wrapped).evaluate(given_variables)
        except (ExpressionInvalid, ExpressionFailed):
            pass
        else:
            json.dumps(result, allow_nan=False)
    assert json.dumps(given_variables) == before


@settings(PROFILE, max_examples=150)
@given(st.lists(st.one_of(any_text, balanced.map(lambda t: f"a = {t}"))), variables)
def test_any_script_gives_json_values_or_one_of_two_errors(
    lines: list[str], given_variables: dict[str, object]
) -> None:
    before = json.dumps(given_variables)
    try:
        script = compile_script("\n".join(lines))
        result = script.run(given_variables)
    except (ExpressionInvalid, ExpressionFailed):
        pass
    else:
        json.dumps(result, allow_nan=False)
        assert result.keys() == script.targets
    assert json.dumps(given_variables) == before


@settings(PROFILE, max_examples=150)
@given(
    st.one_of(st.text(max_size=30), st.text("RPTYMDHS0123456789/-:.,Z ", max_size=30))
)
@pytest.mark.parametrize(
    "parse", [parse_duration, parse_instant, parse_cycle, parse_retry_cycle]
)
def test_any_time_text_is_read_or_refused(parse: object, text: str) -> None:
    assert callable(parse)
    with suppress(ExpressionInvalid):
        parse(text)


numbers = st.one_of(
    st.integers(-(10**9), 10**9),
    st.floats(-1e9, 1e9, allow_nan=False, allow_infinity=False),
)
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@settings(PROFILE, max_examples=60)
@given(numbers, numbers)
@pytest.mark.parametrize("sign", OPERATORS)
def test_numbers_are_computed_as_in_python(sign: str, a: float, b: float) -> None:
    compiled = compile_expression(f"a {sign} b")
    literal = compile_expression(f"{a!r} {sign} {b!r}")
    if sign in ("/", "//", "%") and b == 0:
        with pytest.raises(ExpressionFailed, match="divides by zero"):
            compiled.evaluate({"a": a, "b": b})
        return
    expected = OPERATORS[sign](a, b)
    if not math.isfinite(expected):
        with pytest.raises(ExpressionFailed, match="not finite"):
            compiled.evaluate({"a": a, "b": b})
        return
    for result in (compiled.evaluate({"a": a, "b": b}), literal.evaluate({})):
        assert type(result) is type(expected)
        assert result == expected


class Formula:
    """A random sum-and-product tree, told both to us and to Python's operators."""

    def __init__(self, text: str, value: float) -> None:
        self.text = text
        self.value = value


def combined(parts: tuple[Formula, str, Formula, bool]) -> Formula:
    left, sign, right, bracketed = parts
    text = f"({left.text}) {sign} ({right.text})"
    value = OPERATORS[sign](left.value, right.value)
    return Formula(f"({text})" if bracketed else text, value)


formulas = st.recursive(
    st.integers(-99, 99).map(lambda n: Formula(str(n), n)),
    lambda inner: st.tuples(
        inner, st.sampled_from(["+", "-", "*"]), inner, st.booleans()
    ).map(combined),
    max_leaves=10,
)


@settings(PROFILE, max_examples=100)
@given(formulas)
def test_brackets_mean_what_they_say(formula: Formula) -> None:
    if abs(formula.value) < 2**63:
        assert compile_expression(formula.text).evaluate({}) == formula.value


@settings(PROFILE, max_examples=100)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=8),
    st.lists(st.sampled_from(["+", "-", "*"]), min_size=7, max_size=7),
)
def test_products_bind_before_sums_and_both_from_the_left(
    operands: list[int], signs: list[str]
) -> None:
    total, product, direction = 0, operands[0], 1
    text = str(operands[0])
    for sign, operand in zip(signs, operands[1:], strict=False):
        text += f" {sign} {operand}"
        if sign == "*":
            product *= operand
        else:
            total += direction * product
            product, direction = operand, 1 if sign == "+" else -1
    assert compile_expression(text).evaluate({}) == total + direction * product


@settings(PROFILE, max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_can_be_written_as_a_literal(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if "\0" not in text:
        assert compile_expression(f'"{escaped}"').evaluate({}) == text


@settings(PROFILE, max_examples=100)
@given(json_values)
def test_json_reads_as_the_value_it_is(value: object) -> None:
    def small(part: object) -> bool:
        if isinstance(part, list):
            return all(map(small, part))
        if isinstance(part, dict):
            return all(map(small, part.values()))
        if isinstance(part, str):
            return part.isascii() and part.isprintable()
        return not isinstance(part, int) or abs(part) < 2**63

    if small(value):
        assert compile_expression(json.dumps(value)).evaluate({}) == value
