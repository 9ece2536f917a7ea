"""No text, however hostile, may occupy a worker or reach what lies underneath."""

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.feel import compile_feel, compile_unary_tests

HOSTILE = [
    *("(" * 5000 + "1" + ")" * 4000, "[" * 60 + "]" * 60, "-" * 5000 + "1"),
    *("{a:" * 60 + "1" + "}" * 60, "not(" * 60 + "true" + ")" * 60),
    *("if true then " * 60 + "1" + " else 2" * 60, "a" + ".b" * 4000 + "(" * 60),
    *("10 ** 10 ** 10 ** 10", "9 ** 999999999", "1e6144 * 10"),
    *("for i in 1..1000000000000 return i", "for i in 1..1e30 return i"),
    "for i in 1..1000, j in 1..1000 return i * j",
    "count(for i in 1..10001 return 1)",
    "every i in 1..1000000 satisfies some j in 1..1000 satisfies i != j",
    "for i in 1..2000 return partial",
    "[1..1000000000][item > 5]",
    'count(for d in @"0001-01-01"..@"9999-12-31" return d)',
    "{f: function(n) f(n + 1), r: f(1)}.r",
    "{f: function(n) f(n) + f(n), r: f(1)}.r",
    "{f: function(g) g(g), r: f(f)}.r",
    "sort(for i in 1..5000 return -i, function(a, b) a < b)",
    "distinct values(for i in 1..5000 return i)",
    '{t: "aaaaaaaaaa", u: for i in 1..30 return t + t, v: string join(u)}.w + 1',
    'replace("' + "a" * 5000 + '", "(a*)*b", "x") + 1',
    'matches("' + "a" * 5000 + '", "(a|a)*b(c{1000}){1000}")',
    'matches("' + "a" * 9000 + '", "(a?){500}a{500}")',
    'split("' + "a," * 4000 + '", "a*a*a*a*a*$")',
    "decimal(1, 999999999999)",
    "exp(999999999)",
    'duration("P999999999D") * 1000',
    'string(for i in 1..3000 return "' + "x" * 100 + '")',
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_ends_as_an_error(text: str) -> None:
    with pytest.raises((ExpressionFailed, ExpressionInvalid)):
        compile_feel(text).evaluate({})


@pytest.mark.parametrize(
    "text",
    [
        "().__class__",
        '"".__class__.__mro__',
        "[].__class__",
        "{}.__class__.__base__",
        "(function(x) x).__globals__",
        "now.__func__",
        "item.__class__",
        "[1].__len__",
        '@"2026-01-31".__class__',
        "[1..2].__class__",
        '{a: 1}.__getitem__("a")',
    ],
)
def test_nothing_of_the_language_underneath_can_be_reached(text: str) -> None:
    try:
        value = compile_feel(text).evaluate({"item": 1, "now": {}})
    except (ExpressionFailed, ExpressionInvalid):
        return
    assert value in (None, [], [None])


def test_a_growing_text_is_stopped() -> None:
    doubled = '{t0: "' + "x" * 1000 + '"'
    for level in range(1, 30):
        doubled += f", t{level}: t{level - 1} + t{level - 1}"
    with pytest.raises(ExpressionFailed, match="100000 characters"):
        compile_feel(doubled + "}").evaluate({})


def test_a_growing_list_is_stopped() -> None:
    doubled = "{t0: [1, 2, 3, 4]"
    for level in range(1, 30):
        doubled += f", t{level}: concatenate(t{level - 1}, t{level - 1})"
    with pytest.raises(ExpressionFailed, match=r"more than 10000 values|steps"):
        compile_feel(doubled + "}").evaluate({})


def test_a_list_of_shared_lists_counts_all_its_parts() -> None:
    nested = "{t0: [1, 2]"
    for level in range(1, 30):
        nested += f", t{level}: [t{level - 1}, t{level - 1}]"
    with pytest.raises(ExpressionFailed, match=r"parts|steps"):
        compile_feel(nested + "}.t29").evaluate({})


def test_a_deep_variable_is_compared_within_bounds() -> None:
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    with pytest.raises(ExpressionFailed, match="levels"):
        compile_feel("x = x").evaluate({"x": deep})
    with pytest.raises(ExpressionFailed, match="levels"):
        compile_feel("x").evaluate({"x": deep})


def test_numbers_that_are_no_numbers_are_refused() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ExpressionFailed, match="not finite"):
            compile_feel("x + 1").evaluate({"x": value})


def test_a_lone_surrogate_does_not_come_out() -> None:
    with pytest.raises(ExpressionFailed, match="half a character"):
        compile_feel("x").evaluate({"x": "\ud800"})


def test_a_hostile_cell_ends_as_an_error() -> None:
    for text in ("(" * 200, "not(" * 200 + "1" + ")" * 200, "1," * 6000):
        with pytest.raises(ExpressionInvalid):
            compile_unary_tests(text)
    with pytest.raises(ExpressionFailed):
        compile_unary_tests("some i in 1..1000000000 satisfies i = ? + 0.5").matches(
            1, {}
        )
