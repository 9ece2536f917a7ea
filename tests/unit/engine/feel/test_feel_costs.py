"""Whatever looks at a long value or copies it pays for its length."""

import itertools
import time
import tracemalloc
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest

from mpms.domain.errors import ExpressionFailed
from mpms.engine.expressions import bounds, compile_expression
from mpms.engine.expressions.bounds import ends_within
from mpms.engine.expressions.faults import Exceeded, Fault
from mpms.engine.feel import compile_feel
from mpms.engine.feel.calls import BUILTINS, Builtin
from mpms.engine.feel.patterns import compile_pattern
from mpms.engine.feel.values import Frame

LONG = "a" * 50_000


def _of_texts() -> list[Builtin]:
    return [
        one
        for one in itertools.chain.from_iterable(BUILTINS.values())
        if any("string" in parameter.kinds for parameter in one.parameters[:1])
    ]


@pytest.mark.parametrize("function", _of_texts(), ids=lambda one: one.name)
def test_every_function_of_a_text_pays_for_its_length(function: Builtin) -> None:
    frame = Frame({}, None)
    given: list[Any] = [LONG]
    needed = [one for one in function.parameters[1:] if not one.optional]
    for parameter in needed:
        given.append("b" if "string" in parameter.kinds else Decimal(1))
    before = frame.steps_left
    with suppress(Fault):
        function.call(frame, given)
    assert before - frame.steps_left >= len(LONG) // 100


@pytest.mark.parametrize(
    "text",
    [
        'count(for i in 1..9000 return substring after(x, "a"))',
        "count(for i in 1..9000 return substring(x, 2))",
        "count(for i in 1..9000 return substring(x, -40000, 39999))",
        'count(for i in 1..9000 return substring before(x, "b"))',
        "count(for i in 1..9000 return trim(x))",
        'count(for i in 1..9000 return starts with(x, x + ""))',
        "count(for i in 1..9000 return x < y)",
        "count(for i in 1..9000 return many instance of list<string>)",
        "count(for i in 1..9000 return many instance of list<Any>)",
        "sort(for i in 1..9000 return x)",
    ],
)
def test_a_loop_over_long_values_ends_before_it_takes_the_memory(text: str) -> None:
    variables = {"x": LONG, "y": LONG, "many": ["a"] * 10_000}
    tracemalloc.start()
    try:
        with pytest.raises(ExpressionFailed, match="steps"):
            compile_feel(text).evaluate(variables)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def _work_of(pattern: str, text: str) -> int:
    frame = Frame({}, None)
    try:
        compile_pattern(pattern, "").search(frame, text, 0)
    except Exceeded:
        return frame.most_steps
    return frame.most_steps - frame.steps_left


def test_a_class_costs_as_much_as_it_has_members() -> None:
    members = "".join(map(chr, range(0x100, 0x100 + 400)))
    text = "a" * 200
    assert _work_of(f"[{members}]b", text) > 20 * _work_of("[xy]b", text)


def test_a_pattern_of_groups_costs_the_groups_that_are_copied() -> None:
    text = "a" * 200
    assert _work_of("(((((((((((((((a)))))))))))))))b", text) > 2 * _work_of("ab", text)


def test_repeating_nothing_very_often_is_refused_when_it_is_read() -> None:
    with pytest.raises(ExpressionFailed, match="repeats too much"):
        compile_feel('matches("a", "(?:(?:(?:){1000}){1000}){1000}")').evaluate({})


def test_an_expression_ends_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "LONGEST_S", -1.0)
    with pytest.raises(ExpressionFailed, match="takes too long"):
        compile_feel("for i in 1..9000 return i").evaluate({})


def test_all_expressions_of_a_step_share_its_time() -> None:
    with ends_within(0.0):
        time.sleep(0.001)
        with ends_within(100.0), pytest.raises(ExpressionFailed, match="too long"):
            compile_feel("1 + 1").evaluate({})
        with pytest.raises(ExpressionFailed, match="too long"):
            compile_expression("1 + 1").evaluate({})
    assert compile_feel("1 + 1").evaluate({}) == 2


def test_comparing_and_searching_long_texts_is_paid_in_the_other_language_too() -> None:
    for text in ("x == y", "x < y", "'b' in x"):
        long = " and ".join([f"({text} or true)"] * 300)
        with pytest.raises(ExpressionFailed, match="steps"):
            compile_expression(long).evaluate({"x": LONG, "y": LONG + "b"})
