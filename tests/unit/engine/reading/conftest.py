"""The smallest files around a piece of a process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

_FRAME = """<?xml version="1.0" encoding="{encoding}"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="file">
<process id="p" name="P" isExecutable="true">{body}</process>{roots}
</definitions>"""

_MODELS = Path(__file__).parents[3] / "data" / "models"


@pytest.fixture(scope="session")
def bpmn() -> Callable[..., bytes]:
    def build(body: str, roots: str = "", encoding: str = "UTF-8") -> bytes:
        text = _FRAME.format(body=body, roots=roots, encoding=encoding)
        return text.encode(encoding)

    return build


@pytest.fixture(scope="session")
def drawn() -> Callable[[str], bytes]:
    return lambda name: (_MODELS / f"drawn_{name}.bpmn").read_bytes()
