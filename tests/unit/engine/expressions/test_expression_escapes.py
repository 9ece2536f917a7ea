"""Everything that tries to leave the language, or to exhaust the machine, ends here."""

import inspect
import sys
from collections.abc import Callable

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import (
    compile_condition,
    compile_expression,
    compile_script,
    compile_value,
)

ESCAPES = [
    "__class__",
    "__import__",
    "__builtins__",
    "__import__('os').system('id')",
    "x.__class__",
    "x.__class__.__bases__[0].__subclasses__()",
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()",
    "[].__class__",
    "{}.__class__.__base__",
    "x._private",
    "_x",
    "x.__dict__",
    "len.__self__",
    "len.__globals__['os']",
    "''.format(x)",
    "'{0.__class__}'.format(x)",
    "x.format('a')",
    "x.update({'a': 1})",
    "lambda: 0",
    "(lambda a: a)(1)",
    "[a for a in x]",
    "{a: 1 for a in x}",
    "(a for a in x)",
    "(y := 1)",
    "f'{x}'",
    "f\"{__import__('os')}\"",
    "b'x'",
    "r'x'",
    "`id`",
    "eval('1')",
    "exec('1')",
    "open('f')",
    "getattr(x, 'a')",
    "type(x)",
    "vars()",
    "globals()",
    "range(10)",
    "import os",
    "yield x",
    "await x",
    "*x",
    "len(*x)",
    "len(x=1)",
    "x[0:1]",
    "x[...]",
    "...",
    "1 if",
    "2 ** 8",
    "9**9**9",
    "'a' * 10**9",
    "1 << 100",
    "1 | 2",
    "1 & 2",
    "~1",
    "x @ x",
    "x is x",
    "x -> x",
    "x; x",
    "x\\\n+ 1",
    "1j",
    "0b1",
    "#",
    "len(x)(x)",
    "x()",
    "(x)()",
    "[len][0](x)",
    "T(java.lang.Runtime).getRuntime()",
    "''.getClass()",
    "pageContext.request.getSession()",
    "new Date()",
    "x instanceof y",
    "#{x}",
    "${x}",
]


@pytest.mark.parametrize("text", ESCAPES)
def test_an_escape_is_refused_when_it_is_read(text: str) -> None:
    with pytest.raises(ExpressionInvalid):
        compile_expression(text)
    with pytest.raises(ExpressionInvalid):
        compile_condition(text if "{x}" not in text else f"({text})")
    with pytest.raises(ExpressionInvalid):
        compile_script(f"y = ({text})")


@pytest.mark.parametrize(
    "name",
    [
        "ｘ",  # full width
        "х",  # cyrillic
        "ﬀ",  # ligature
        "x\u200b",  # zero width space
        "x\u0301",  # combining accent
        "𝐱",  # mathematical
        "ｅval",
        "x\u202e",  # right to left override
    ],
)
def test_a_look_alike_name_is_refused(name: str) -> None:
    with pytest.raises(ExpressionInvalid, match="means nothing here"):
        compile_expression(name)
    with pytest.raises(ExpressionInvalid, match="means nothing here"):
        compile_script(f"{name} = 1")


@pytest.mark.parametrize("text", ["\0", "x\0", "'a\0b'", "'\\u0000'", "x\x1b"])
def test_a_control_character_is_refused(text: str) -> None:
    with pytest.raises(ExpressionInvalid):
        compile_expression(text)


@pytest.mark.parametrize("key", ["__class__", "keys", "items", "pop", "get"])
def test_attribute_access_reaches_keys_and_never_methods(key: str) -> None:
    with pytest.raises(ExpressionFailed, match="finds no key"):
        compile_expression(f"x['{key}']").evaluate({"x": {}})
    if not key.startswith("_"):
        with pytest.raises(ExpressionFailed, match="finds no key"):
            compile_expression(f"x.{key}").evaluate({"x": {}})
    assert compile_expression(f"x['{key}']").evaluate({"x": {key: 1}}) == 1


@pytest.mark.parametrize("name", ["real", "imag", "numerator", "to_bytes", "append"])
@pytest.mark.parametrize("value", [1, 1.5, True, "a", [1], None, object(), len])
def test_attributes_of_anything_but_a_map_do_not_exist(
    name: str, value: object
) -> None:
    with pytest.raises(ExpressionFailed, match=f"cannot look up '{name}'"):
        compile_expression(f"x.{name}").evaluate({"x": value})


def test_a_long_source_is_refused() -> None:
    for text in ("1" + " " * 1_000_000, "1+" * 500_000 + "1", "'" + "a" * 1_000_000):
        with pytest.raises(ExpressionInvalid, match="longer than 10000"):
            compile_expression(text)
        with pytest.raises(ExpressionInvalid, match="longer than 10000"):
            compile_script("a = " + text)
        with pytest.raises(ExpressionInvalid, match="longer than"):
            compile_value(text)
        with pytest.raises(ExpressionInvalid, match="longer than"):
            compile_value("${" + text + "'}")


def test_many_quotes_in_a_template_are_refused_at_once() -> None:
    with pytest.raises(ExpressionInvalid, match="closing quote"):
        compile_value("${" + '"' + '\\"' * 49_000)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(", ")"),
        ("[", "]"),
        ("{'a': ", "}"),
        ("x[", "]"),
        ("abs(", ")"),
        ("-", ""),
        ("!", ""),
        ("not ", ""),
        ("empty ", ""),
        ("ok ? 1 : ", ""),
        ("1 if ok else ", ""),
        ("ok ? ", " : 1"),
        ("(-", ")"),
    ],
)
def test_deep_nesting_is_refused_and_moderate_nesting_is_not(
    opening: str, closing: str
) -> None:
    for depth in (51, 60, 400, 1000):
        text = opening * depth + "1" + closing * depth
        with pytest.raises(ExpressionInvalid, match=r"nested|longer"):
            compile_expression(text)
    compile_expression(opening * 24 + "1" + closing * 24)


def test_unclosed_nesting_is_refused() -> None:
    for opening in ("(", "[", "{'a':", "x["):
        with pytest.raises(ExpressionInvalid):
            compile_expression(opening * 1500)


@pytest.mark.parametrize("sign", [" + ", " - ", " * "])
def test_a_long_chain_needs_no_deep_stack(sign: str) -> None:
    compiled = compile_expression(sign.join(["1"] * 2400))
    assert isinstance(compiled.evaluate({}), int)


def test_a_long_path_and_a_long_conjunction_need_no_deep_stack() -> None:
    compiled = compile_expression("x" + ".a" * 4900)
    with pytest.raises(ExpressionFailed, match="cannot look up 'a' in 1"):
        compiled.evaluate({"x": {"a": 1}})
    assert compile_expression(" and ".join(["true"] * 1000)).evaluate({}) is True


def test_integers_stay_below_ten_to_the_thirty() -> None:
    nines = "9" * 30
    assert (
        compile_expression(f"({nines} + 1) // 10000000000000000000").evaluate({})
        == 10**11
    )
    assert compile_expression("9223372036854775807").evaluate({}) == 2**63 - 1
    with pytest.raises(ExpressionFailed, match="more than 64 bits"):
        compile_expression("9223372036854775807 + 1").evaluate({})
    for text in ("9" * 31, "9" * 9000):
        with pytest.raises(ExpressionInvalid, match="beyond 10\\*\\*30"):
            compile_expression(text)
    for text in (f"{nines} * 2", f"{nines} * {nines}", f"-{nines} - 2", "int(1e300)"):
        with pytest.raises(ExpressionFailed, match="beyond 10\\*\\*30"):
            compile_expression(text).evaluate({})
    for text in ("x + 1", "x * x", "str(x)", "abs(x)", "x", "-x", "1 / x", "float(x)"):
        with pytest.raises(ExpressionFailed, match="beyond 10\\*\\*30"):
            compile_expression(text).evaluate({"x": 10**100_000})


def test_a_message_about_a_giant_number_does_not_spell_it() -> None:
    with pytest.raises(ExpressionFailed, match="a giant number"):
        compile_expression("x and true").evaluate({"x": 10**100_000})


def test_texts_stay_below_their_limit() -> None:
    variables = {"s": "a" * 60_000}
    with pytest.raises(ExpressionFailed, match="more than 100000 characters"):
        compile_expression("s + s").evaluate(variables)
    with pytest.raises(ExpressionFailed, match="more than 100000 characters"):
        compile_expression("[s, s]").evaluate(variables)
    with pytest.raises(ExpressionFailed, match="more than 100000 characters"):
        compile_value("${s} and ${s}").evaluate(variables)
    with pytest.raises(ExpressionFailed, match="more than 100000 characters"):
        compile_expression("upper(s)").evaluate({"s": "ß" * 60_000})


def test_lists_stay_below_their_limit() -> None:
    variables = {"a": [0] * 6_000}
    with pytest.raises(ExpressionFailed, match="more than 10000 values"):
        compile_expression("a + a").evaluate(variables)
    with pytest.raises(ExpressionFailed, match="more than 10000 parts"):
        compile_expression("[a, a]").evaluate(variables)
    with pytest.raises(ExpressionFailed, match="more than 10000 parts"):
        compile_expression("a").evaluate({"a": {str(n): 0 for n in range(10_001)}})


def test_work_is_bounded() -> None:
    variables = {"a": [1] * 9_999, "b": [1] * 9_999}
    assert compile_expression("sum(a)").evaluate(variables) == 9_999
    for part in ("sum(a)", "max(a)", "0 if 5 in a else 1", "0 if a == b else 1"):
        with pytest.raises(ExpressionFailed, match="more than 50000 steps"):
            compile_expression("+".join([f"({part})"] * 20)).evaluate(variables)


def test_a_deep_or_cyclic_value_is_refused() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    cyclic: list[object] = []
    cyclic.append(cyclic)
    for value in (deep, cyclic):
        with pytest.raises(ExpressionFailed, match="levels"):
            compile_expression("x").evaluate({"x": value})
        other = [[*value]]
        with pytest.raises(ExpressionFailed, match="levels"):
            compile_expression("x == y").evaluate({"x": [value], "y": other})


def test_a_caller_near_the_end_of_the_stack_gets_our_errors() -> None:
    deep = "[" * 45 + "x" + "]" * 45
    compiled = compile_expression(deep)
    told: list[str] = []

    def at_depth(frames: int, attempt: Callable[[], object]) -> None:
        if frames:
            at_depth(frames - 1, attempt)
            return
        try:
            attempt()
        except (ExpressionInvalid, ExpressionFailed) as cause:
            told.append(str(cause))

    left = sys.getrecursionlimit() - len(inspect.stack(0)) - 30
    at_depth(left, lambda: compile_expression(deep + " "))
    at_depth(left, lambda: compiled.evaluate({"x": 1}))
    assert len(told) == 2
    assert all("nested too deeply" in message for message in told)


@pytest.mark.parametrize(
    "line", ["a = [a, a]", "a = a + a", "a = {'l': a, 'r': a}", "a += a"]
)
def test_doubling_in_a_script_is_refused(line: str) -> None:
    script = compile_script("a = [1]\n" + f"{line}\n" * 40)
    with pytest.raises(ExpressionFailed, match="more than"):
        script.run({})


def test_doubling_a_text_in_a_script_is_refused() -> None:
    with pytest.raises(ExpressionFailed, match="more than 100000 characters"):
        compile_script("a = 'xxxxxxxx'\n" + "a += a\n" * 40).run({})


def test_many_large_results_of_one_script_are_refused() -> None:
    lines = "\n".join(f"a{n} = s + 'x'" for n in range(600))
    with pytest.raises(ExpressionFailed, match="more than 50000 steps"):
        compile_script(lines).run({"s": "y" * 90_000})


def test_squaring_in_a_script_is_refused() -> None:
    with pytest.raises(ExpressionFailed, match="beyond 10\\*\\*30"):
        compile_script("a = 9\n" + "a = a * a\n" * 40).run({})
