"""An escalation of a called process reaches the call that made it."""

from __future__ import annotations

import pytest

from tests.support.bench import Bench

DECLARED = '<escalation id="late" name="too late" escalationCode="Late"/>'
UP = '<escalationEventDefinition id="{0}_d" escalationRef="late"{1}/>'
CALL = (
    '<callActivity id="call" calledElement="{0}"><extensionElements>'
    '<camunda:out source="got" target="received"/>'
    "</extensionElements></callActivity>"
)


def deploy_child(bench: Bench, *, at_end: bool = False) -> None:
    tag = "endEvent" if at_end else "intermediateThrowEvent"
    up = f'<{tag} id="up">{UP.format("up", "")}</{tag}>'
    rest = "" if at_end else '<userTask id="rest"/><endEvent id="end"/>'
    flows = ["begin fetch", "fetch up", *([] if at_end else ["up rest", "rest end"])]
    bench.deploy_drawn(
        "child",
        f'<startEvent id="begin"/><userTask id="fetch"/>{up}{rest}',
        *flows,
        declared=DECLARED,
    )


def deploy_parent(bench: Bench, *, interrupting: bool, called: str = "child") -> None:
    edge = (
        '<boundaryEvent id="edge" attachedToRef="call" cancelActivity='
        f'"{str(interrupting).lower()}">'
        + UP.format("edge", ' camunda:escalationCodeVariable="code"')
        + '</boundaryEvent><userTask id="hurry"/>'
    )
    bench.deploy_drawn(
        "parent",
        f'<startEvent id="begin"/>{CALL.format(called)}<endEvent id="end"/>{edge}',
        *("begin call", "call end", "edge hurry"),
        declared=DECLARED,
    )


def escalate(bench: Bench, parent: str) -> str:
    (child,) = bench.children(parent)
    bench.submit(bench.forms(child)[0].task_id, {"got": 3})
    return str(child)


def open_forms(bench: Bench, instance: str) -> list[str]:
    return sorted(task.element for task in bench.forms(instance))


def test_a_boundary_beside_the_call_lets_the_called_process_go_on(bench: Bench) -> None:
    deploy_child(bench)
    deploy_parent(bench, interrupting=False)
    parent = bench.start("parent")
    child = escalate(bench, parent)
    assert open_forms(bench, parent) == ["hurry"]
    assert open_forms(bench, child) == ["rest"]
    assert bench.variables(parent) == {"code": "Late", "received": 3}
    bench.submit(bench.forms(child)[0].task_id, {"got": 4})
    bench.submit(bench.forms(parent)[0].task_id, {})
    assert bench.instance(parent).status == "completed"
    assert bench.variables(parent)["received"] == 4
    assert bench.live_rows() == {}


def test_a_boundary_that_interrupts_cancels_the_called_process(bench: Bench) -> None:
    deploy_child(bench)
    deploy_parent(bench, interrupting=True)
    parent = bench.start("parent")
    child = escalate(bench, parent)
    assert bench.instance(child).status == "cancelled"
    assert open_forms(bench, parent) == ["hurry"]


@pytest.mark.parametrize("interrupting", [True, False])
def test_an_escalation_at_the_end_comes_before_the_end(
    bench: Bench, interrupting: bool
) -> None:
    deploy_child(bench, at_end=True)
    deploy_parent(bench, interrupting=interrupting)
    parent = bench.start("parent")
    child = escalate(bench, parent)
    assert bench.instance(child).status == "completed"
    assert open_forms(bench, parent) == ["hurry"]
    left = bench.left(parent)
    assert ("call" in left) is not interrupting
    assert bench.variables(parent)["received"] == 3


def test_it_goes_on_upwards_through_a_call_that_does_not_catch_it(bench: Bench) -> None:
    deploy_child(bench)
    bench.deploy_drawn(
        "middle",
        f'<startEvent id="begin"/>{CALL.format("child")}<endEvent id="end"/>',
        *("begin call", "call end"),
    )
    deploy_parent(bench, interrupting=False, called="middle")
    parent = bench.start("parent")
    (middle,) = bench.children(parent)
    escalate(bench, middle)
    assert open_forms(bench, parent) == ["hurry"]
    assert bench.instance(middle).status == "active"


def test_an_escalation_without_a_caller_is_only_told(bench: Bench) -> None:
    deploy_child(bench)
    alone = bench.start("child")
    bench.submit(bench.forms(alone)[0].task_id, {})
    assert open_forms(bench, alone) == ["rest"]
    assert ("escalated", "up") in bench.elements_of(alone)
