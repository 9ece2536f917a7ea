"""What comes from anybody neither becomes infinite nor a line of its own."""

import json
import logging
import sys

import pytest

from mpms.cli.starts import VariableUnreadable, read_variables
from mpms.domain.forms import check_form
from mpms.domain.numbers import NumberTooLarge, finite
from mpms.engine.feel import compile_feel
from mpms.log_lines import JsonLine, TextLine
from mpms.web.api.reading import checked_json

NASTY = "name\r\n2026-01-01 root: all is well\x1b[2J\u2028\x9b"


def _record(text: str, *, failed: bool = False) -> logging.LogRecord:
    caught = None
    if failed:
        try:
            raise ValueError(text)
        except ValueError:
            caught = sys.exc_info()
    return logging.LogRecord("a", logging.ERROR, "f", 1, "%s came", (text,), caught)


def test_a_message_cannot_write_a_line_or_a_sign_that_a_terminal_obeys() -> None:
    line = TextLine(()).format(_record(NASTY))
    assert line.isprintable()
    assert "\\r\\n2026" in line
    assert "\\x1b[2J" in line


def test_lines_of_a_failure_are_set_in() -> None:
    first, *rest = TextLine(()).format(_record(NASTY, failed=True)).split("\n")
    assert first.isprintable()
    assert rest
    assert all(line.startswith("  ") and line.isprintable() for line in rest)


def test_a_json_line_stays_one_line_and_says_the_same() -> None:
    line = JsonLine(()).format(_record(NASTY, failed=True))
    assert line.isprintable()
    assert "\\x1b[2J" in json.loads(line)["message"]


def test_a_number_that_no_float_holds_is_refused_wherever_it_is_read() -> None:
    assert finite("1.5e3") == 1500.0
    with pytest.raises(NumberTooLarge):
        finite("-1e999")
    with pytest.raises(ValueError, match="too large"):
        checked_json('{"a": [1e999]}')
    with pytest.raises(VariableUnreadable, match="too large"):
        read_variables(["a=1e999"])
    (problem,) = check_form(b'{"id": "f", "components": [], "x": 1e999}')
    assert "too large" in problem.reason
    assert compile_feel('from json("[1e999]")').evaluate({}) is None
