"""What the lint lets through can be built and started, however odd the file is."""

from __future__ import annotations

import copy
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from mpms.domain.instances.steps import Start
from mpms.domain.models.definitions import Definition
from mpms.engine.lint import check
from mpms.engine.runner import SpiffEngine

FOLDER = Path(__file__).parents[3] / "data" / "foreign_models"
NOW = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
ODD = ["", "=", "=a", '="b"', "${a}", "-1", "a.b", "a..b", "true", "x y", "ü"]


def broken(xml: bytes, seed: int) -> bytes:
    """The file with a few words of Camunda dropped, doubled, moved or changed."""
    rng = random.Random(seed)
    root = etree.fromstring(xml)
    for _ in range(rng.randint(1, 3)):
        nodes = [n for n in root.iter() if "camunda.org" in str(n.tag) + str(n.attrib)]
        node = rng.choice(nodes)
        parent = node.getparent()
        if parent is None:
            continue
        change = rng.randrange(4)
        if change == 0:
            parent.remove(node)
        elif change == 1:
            parent.append(copy.deepcopy(node))
        elif change == 2:
            rng.choice(nodes).append(copy.deepcopy(node))
        elif node.attrib:
            key = rng.choice(sorted(map(str, node.attrib)))
            node.set(key, rng.choice(ODD))
    return etree.tostring(root)


@pytest.mark.parametrize("name", ["camunda_8_deliver", "camunda_7_external"])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_a_model_that_passes_the_lint_can_be_started(name: str, seed: int) -> None:
    xml = broken((FOLDER / f"{name}.bpmn").read_bytes(), seed)
    lint = check(xml)
    assert lint.model is not None
    if not lint.deployable:
        return
    engine = SpiffEngine()
    (process,) = lint.model.processes
    definition = Definition("digest", process.id, 1, "", xml)
    start = "came" if name.startswith("camunda_8") else None
    step = engine.advance(
        definition, None, Start({"materials": [{}], "a": 1}, at=start), now=NOW
    )
    assert step.waits or step.status.ended
