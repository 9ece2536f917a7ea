"""Builds small models: the smallest frame, and a line of steps from start to end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

_FRAME = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:activiti="http://activiti.org/bpmn"
  xmlns:vendor="http://www.signavio.com" id="file">
<process id="p" name="P" isExecutable="true">{body}</process>
<message id="m" name="arrived"/><message id="nameless"/>
<signal id="s" name="ready"/>
<error id="e" name="Broken" errorCode="Broken"/><error id="codeless" name="Odd"/>
<escalation id="esc" name="up" escalationCode="up"/>
{roots}</definitions>"""

_ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="session")
def bpmn() -> Callable[..., bytes]:
    return lambda body, roots="": _FRAME.format(body=body, roots=roots).encode()


@pytest.fixture(scope="session")
def line(bpmn: Callable[..., bytes]) -> Callable[..., bytes]:
    """Start, one step with the id ``x``, end; and what else belongs to it."""

    def build(step: str, beside: str = "") -> bytes:
        return bpmn(
            "<startEvent id='began'/>"
            f"<sequenceFlow id='f1' sourceRef='began' targetRef='x'/>{step}"
            "<sequenceFlow id='f2' sourceRef='x' targetRef='ended'/>"
            f"<endEvent id='ended'/>{beside}"
        )

    return build


@pytest.fixture(scope="session")
def drawn() -> Callable[[str], bytes]:
    folder = _ROOT / "tests" / "data" / "models"
    return lambda name: (folder / f"drawn_{name}.bpmn").read_bytes()
