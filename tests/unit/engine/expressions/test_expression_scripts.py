"""Scripts: assignments in a row."""

from datetime import UTC, datetime

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import compile_script


@pytest.mark.covers("A4")
def test_a_script_computes_variables_from_variables() -> None:
    script = compile_script(
        """
        # what the worker has to load
        total_kg = sum([salt.kg, flour.kg])
        rows = [
            salt.name,     # a comment inside brackets
            flour.name,
        ]
        label = "Order " + number; heavy = total_kg > 5
        total_kg += 1
        """
    )
    variables: dict[str, object] = {
        "salt": {"name": "salt", "kg": 2},
        "flour": {"name": "flour", "kg": 3.5},
        "number": "A-17",
    }
    assert script.run(variables) == {
        "total_kg": 6.5,
        "rows": ["salt", "flour"],
        "label": "Order A-17",
        "heavy": True,
    }
    assert script.names == {"salt", "flour", "number"}
    assert script.targets == {"total_kg", "rows", "label", "heavy"}
    assert "total_kg" not in variables


def test_a_script_may_replace_the_variable_it_reads() -> None:
    script = compile_script("n = n + 1; n += 1")
    variables: dict[str, object] = {"n": 1}
    assert script.run(variables) == {"n": 3}
    assert variables == {"n": 1}
    assert script.names == {"n"}


def test_a_variable_assigned_before_it_is_read_is_not_free() -> None:
    assert compile_script("a = 1\nb = a + c").names == {"c"}
    assert compile_script("b = a\na = 1").names == {"a"}
    assert compile_script("a += 1").names == {"a"}


def test_what_a_script_assigns_shares_nothing_with_its_input() -> None:
    variables: dict[str, object] = {"a": {"b": [1]}}
    result = compile_script("c = a\nd = c").run(variables)
    c, d = result["c"], result["d"]
    assert isinstance(c, dict)
    assert isinstance(d, dict)
    c["b"].append(2)
    assert variables == {"a": {"b": [1]}}
    assert d == {"b": [1]}


def test_a_script_sees_the_given_clock() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    assert compile_script("t = now()").run({}, at) == {"t": "2026-03-01T00:00:00Z"}


def test_a_failing_script_names_line_and_cause() -> None:
    script = compile_script("a = 1\nb = a + missing")
    with pytest.raises(
        ExpressionFailed, match=r"script .* knows no variable 'missing' \(line 2, col"
    ):
        script.run({})


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "assigns nothing"),
        ("# only a comment", "assigns nothing"),
        (";;\n\n", "assigns nothing"),
        ("x", "'=' or '\\+=' is expected"),
        ("x == 1", "has '==' where '=' or"),
        ("x.y = 1", "has '.' where '=' or"),
        ("x['y'] = 1", "has '\\[' where '=' or"),
        ("x, y = 1, 2", "has ',' where '=' or"),
        ("x = y = 1", "the end of the line is expected"),
        ("x = 1 y = 2", "the end of the line is expected"),
        ("x -= 1", "has '-' where '=' or"),
        ("x = ", "a value is expected"),
        ("x =\n1", "a value is expected"),
        ("x = (1\n+ 2", "'\\)' is expected"),
        ("x = [1; 2]", "',' is expected"),
        ("5 = x", "'name = ...' is expected"),
        ("true = 1", "'name = ...' is expected"),
        ("and = 1", "'name = ...' is expected"),
        ("_x = 1", "may not begin with '_'"),
        ("__builtins__ = {}", "may not begin with '_'"),
        ("if x:\n  y = 1", "has 'if' where 'name = ...' is expected"),
        ("for i in x: y = i", "'=' or '\\+=' is expected"),
        ("while true: x = 1", "'=' or '\\+=' is expected"),
        ("def f(): x = 1", "'=' or '\\+=' is expected"),
        ("import os", "'=' or '\\+=' is expected"),
        ("from os import system", "'=' or '\\+=' is expected"),
        ("del x", "'=' or '\\+=' is expected"),
        ("len(x)", "has '\\(' where '=' or"),
        ("execution.setVariable('a', 1)", "has '.' where '=' or"),
    ],
)
def test_anything_but_assignments_is_refused(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        compile_script(text)


def test_brackets_carry_a_statement_over_lines() -> None:
    assert compile_script("x = (1\n + 2)\ny = 1").run({}) == {"x": 3, "y": 1}
    assert compile_script("x = 1\r\ny = 2\r\n").run({}) == {"x": 1, "y": 2}
