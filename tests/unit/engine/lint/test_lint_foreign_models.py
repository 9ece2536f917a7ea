"""Files as other tools write them: each is told what to change, and no more.

``expected.json`` was written from the files and what is promised about them, not
recorded from the lint.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mpms.engine.lint import check

FOLDER = Path(__file__).parents[3] / "data" / "foreign_models"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())


def test_every_foreign_file_has_an_expectation() -> None:
    assert {path.name for path in FOLDER.glob("*.bpmn")} == set(EXPECTED)
    assert len(EXPECTED) >= 12


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_foreign_model_is_told_what_to_change(name: str) -> None:
    expected = EXPECTED[name]
    lint = check((FOLDER / name).read_bytes())
    left = list(lint.problems)
    for problem in expected["problems"]:
        found = [
            p
            for p in left
            if p.element == problem["element"] and problem["says"] in p.reason
        ]
        assert found, (problem, lint.problems)
        left.remove(found[0])
    assert left == []
    assert lint.deployable is expected["deployable"]
