"""A table of expressions in the standard's mode, where what fails is null."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mpms.domain.errors import ExpressionInvalid
from mpms.engine.feel.builtins.conversions import string
from mpms.engine.feel.expression import compile_feel
from mpms.engine.feel.values import Env, Frame

TABLE = Path(__file__).parents[3] / "data" / "feel_standard.txt"
NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)


def rows() -> Iterator[tuple[str, str]]:
    for line in TABLE.read_text("utf-8").splitlines():
        if " =>" in line:
            text, _, expected = line.rpartition(" =>")
            yield text, expected.removeprefix(" ")


def written(text: str) -> str:
    frame = Frame({}, NOW, standard=True)
    try:
        found = compile_feel(text, standard=True).value_in(Env(frame, {}))
    except ExpressionInvalid as cause:
        return f"refused: {cause}"
    return "null" if found is None else str(string(frame, found))


@pytest.mark.covers("A6")
def test_functions_operators_and_dates_give_what_the_standard_says() -> None:
    table = list(rows())[1:]
    assert len(table) > 600
    wrong = [
        f"{text}: expected {expected}, found {found}"
        for text, expected in table
        if (found := written(text)) != expected
    ]
    assert wrong == []
