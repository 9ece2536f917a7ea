"""docs/robots.md promises what tests show: every test that it names is there."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "robots.md"
SCENARIOS = {
    "Link lost",
    "Server or broker restarted",
    "Goal rejected",
    "Preempted by another client",
    "Result lost",
    "Worker killed",
    "Laser dead",
    "Battery empty",
}


def rows() -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_every_protocol_has_every_scenario() -> None:
    seen = [(scenario, make) for scenario, make, _, _ in rows()]
    makes = {make for _, make in seen}
    assert sorted(seen) == sorted(product(SCENARIOS, makes))
    assert len(makes) == 5


def test_every_outcome_names_a_test_that_exists() -> None:
    for scenario, make, outcome, shown in rows():
        named = re.findall(r"\[`(test_\w+)`\]\(\.\./([\w/.]+)\)", shown)
        assert named, (scenario, make)
        assert outcome
        for test, path in named:
            source = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"^def {test}\(", source, re.MULTILINE), (test, path)
