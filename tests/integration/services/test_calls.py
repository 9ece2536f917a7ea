"""A call activity is an instance of its own; its end and its failure come back."""

from __future__ import annotations

import pytest

from mpms.domain.errors import InstanceUnknown, NotFound, TaskGone
from mpms.services.instances.repair import cancel_instance, retry_incident
from tests.support.bench import Bench

CALL = (
    '<callActivity id="call" calledElement="child"><extensionElements>'
    '<camunda:in source="amount" target="wanted"/>'
    '<camunda:out source="got" target="received"/>'
    "</extensionElements></callActivity>"
)
PARENT = f'<startEvent id="begin"/>{CALL}<endEvent id="end"/>'
CATCHER = (
    '<boundaryEvent id="caught" attachedToRef="call"><errorEventDefinition'
    ' id="caught_error" camunda:errorCodeVariable="code"'
    ' camunda:errorMessageVariable="message"/></boundaryEvent><endEvent id="saved"/>'
)
ERROR = '<error id="empty" name="store is empty" errorCode="StoreEmpty"/>'


def deploy_child(bench: Bench, *, fails: bool = False) -> None:
    end = (
        '<endEvent id="end" name="nothing left">'
        '<errorEventDefinition id="end_error" errorRef="empty"/></endEvent>'
        if fails
        else '<endEvent id="end"/>'
    )
    bench.deploy_drawn(
        "child",
        f'<startEvent id="begin"/><userTask id="fetch"/>{end}',
        *("begin fetch", "fetch end"),
        declared=ERROR if fails else "",
    )


def test_a_called_process_is_a_child_instance_with_mapped_variables(
    bench: Bench,
) -> None:
    deploy_child(bench)
    bench.deploy_drawn("parent", PARENT, "begin call", "call end")
    parent = bench.start("parent", amount=7, secret="mine", business_key="MO-1")
    (child,) = bench.children(parent)
    instance = bench.instance(child)
    assert instance.parent is not None
    assert (instance.key, instance.business_key) == ("child", "MO-1")
    assert instance.parent.instance_id == parent
    assert bench.variables(child) == {"wanted": 7}
    (task,) = bench.forms(child)
    bench.submit(task.task_id, {"got": 6, "noise": True})
    assert bench.instance(child).status == "completed"
    assert bench.instance(parent).status == "completed"
    variables = bench.variables(parent)
    assert variables["received"] == 6
    assert "noise" not in variables
    assert bench.live_rows() == {}
    assert ("dropped", None) not in bench.elements_of(child)


def test_a_childs_failure_reaches_the_parents_error_boundary(bench: Bench) -> None:
    deploy_child(bench, fails=True)
    bench.deploy_drawn(
        "parent", PARENT + CATCHER, "begin call", "call end", "caught saved"
    )
    parent = bench.start("parent", amount=1)
    (child,) = bench.children(parent)
    bench.submit(bench.forms(child)[0].task_id, {})
    assert bench.instance(child).status == "failed"
    assert bench.instance(parent).status == "completed"
    assert "saved" in bench.left(parent)
    assert bench.variables(parent)["code"] == "StoreEmpty"
    assert bench.live_rows() == {}


def test_a_failure_that_the_parent_does_not_catch_can_be_called_again(
    bench: Bench,
) -> None:
    deploy_child(bench, fails=True)
    bench.deploy_drawn("parent", PARENT, "begin call", "call end")
    parent = bench.start("parent", amount=3)
    (child,) = bench.children(parent)
    bench.submit(bench.forms(child)[0].task_id, {})
    assert bench.instance(parent).status == "active"
    (incident,) = bench.incidents()
    assert (incident.kind, incident.element) == ("call", "call")
    assert "StoreEmpty" in incident.message

    deploy_child(bench)  # somebody mends the model
    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    bench.worker.settle()
    (second,) = [c for c in bench.children(parent) if c != child]
    assert bench.variables(second) == {"wanted": 3}
    bench.submit(bench.forms(second)[0].task_id, {"got": 3})
    assert bench.instance(parent).status == "completed"
    assert bench.variables(parent)["received"] == 3
    assert bench.incidents() == []
    assert bench.live_rows() == {}


def test_a_call_of_an_unknown_process_waits_for_its_deployment(bench: Bench) -> None:
    bench.deploy_drawn("parent", PARENT, "begin call", "call end")
    parent = bench.start("parent", amount=3)
    (incident,) = bench.incidents()
    assert (incident.kind, incident.element) == ("call", "call")
    assert "child" in incident.message
    deploy_child(bench)
    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    bench.worker.settle()
    (task,) = bench.forms()
    bench.submit(task.task_id, {"got": 1})
    assert bench.instance(parent).status == "completed"


def test_cancelling_a_parent_cancels_its_children_and_their_work(
    bench: Bench,
) -> None:
    deploy_child(bench)
    bench.deploy_drawn("parent", PARENT, "begin call", "call end")
    bench.deploy_drawn(
        "grandparent",
        PARENT.replace('"child"', '"parent"').replace('"wanted"', '"amount"'),
        *("begin call", "call end"),
    )
    top = bench.start("grandparent", amount=1)
    (middle,) = bench.children(top)
    (bottom,) = bench.children(middle)
    cancel_instance(bench.uow, bench.advance, top, by="boss", reason="no more paint")
    bench.worker.settle()
    for instance_id in (top, middle, bottom):
        assert bench.instance(instance_id).status == "cancelled"
    assert bench.live_rows() == {}
    assert bench.incidents() == []
    assert bench.rows(
        "SELECT actor, data FROM events WHERE kind = 'cancel' ORDER BY id LIMIT 1"
    ) == [("boss", {"reason": "no more paint"})]


def test_cancelling_a_child_alone_is_a_failure_for_its_parent(bench: Bench) -> None:
    deploy_child(bench)
    bench.deploy_drawn("parent", PARENT, "begin call", "call end")
    parent = bench.start("parent", amount=1)
    (child,) = bench.children(parent)
    cancel_instance(bench.uow, bench.advance, child, by="boss", reason="wrong one")
    bench.worker.settle()
    assert bench.instance(parent).status == "active"
    (incident,) = bench.incidents()
    assert "cancelled" in incident.message


def test_cancelling_closes_incidents_and_gives_the_robot_back(bench: Bench) -> None:
    bench.deploy_drawn("parent", PARENT, "begin call", "call end")
    parent = bench.start("parent")
    with bench.uow() as tx:
        assert tx.robot_holds.hold("robot1", parent)
    assert len(bench.incidents()) == 1
    cancel_instance(bench.uow, bench.advance, parent, by="boss", reason="enough")
    assert bench.incidents() == []
    assert bench.live_rows() == {}
    assert ("robot released", None) in bench.elements_of(parent)


def test_what_is_not_there_cannot_be_repaired(bench: Bench) -> None:
    with pytest.raises(NotFound, match="no open incident 99"):
        retry_incident(bench.uow, bench.advance, 99, by="boss")
    with pytest.raises(InstanceUnknown):
        cancel_instance(bench.uow, bench.advance, "nonsense", by="boss", reason="")
    deploy_child(bench)
    child = bench.start("child")
    cancel_instance(bench.uow, bench.advance, child, by="boss", reason="first")
    with pytest.raises(TaskGone, match="already ended"):
        cancel_instance(bench.uow, bench.advance, child, by="boss", reason="second")


def test_a_process_that_calls_itself_is_an_incident_and_not_a_thousand_instances(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mpms.services.instances.advance.DEEPEST_CALL", 5)
    bench.deploy_drawn(
        "endless",
        '<startEvent id="begin"/><callActivity id="again" calledElement="endless"/>'
        '<endEvent id="end"/>',
        *("begin again", "again end"),
    )
    bench.start("endless")
    assert bench.rows("SELECT count(*) FROM instances") == [(6,)]
    (incident,) = bench.incidents()
    assert incident.kind == "call"
    assert "Calls lead 5 processes deep" in incident.message
