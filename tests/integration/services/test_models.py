"""Deploying and starting: all or none, versions never change, reasons are named."""

from __future__ import annotations

import json

import pytest

from mpms.domain.errors import ModelRefused, ProcessUnknown
from mpms.services.instances.repair import retry_incident
from mpms.services.models.deploy import Refused, deploy_models
from tests.support.bench import Bench
from tests.support.checkers import there
from tests.support.drawings import draw

ASK = '<startEvent id="begin"/><userTask id="ask"/><endEvent id="end"/>'
WAYS = ("begin ask", "ask end")


def test_the_same_file_deployed_again_is_the_same_version(bench: Bench) -> None:
    files = draw("probe", ASK, *WAYS)
    first = deploy_models(bench.uow, bench.engine, files, by="engineer")
    again = deploy_models(bench.uow, bench.engine, files, by="somebody else")
    assert first.definitions == again.definitions
    assert bench.rows("SELECT version, deployed_by FROM definitions") == [
        (1, "engineer")
    ]


def test_a_changed_file_is_a_new_version_and_running_instances_keep_theirs(
    bench: Bench,
) -> None:
    bench.deploy_drawn("probe", ASK, *WAYS)
    old = bench.start("probe")
    newer = ASK.replace('"ask"', '"new_ask"')
    bench.deploy_drawn("probe", newer, "begin new_ask", "new_ask end")
    with bench.uow() as tx:
        assert tx.definitions.latest("probe").version == 2
    new = bench.start("probe")
    assert [t.element for t in bench.forms(old)] == ["ask"]
    assert [t.element for t in bench.forms(new)] == ["new_ask"]
    bench.submit(bench.forms(old)[0].task_id, {})
    assert bench.left(old) == ["begin", "ask", "end"]


def test_one_bad_file_keeps_all_files_out_and_every_reason_is_told(
    bench: Bench,
) -> None:
    good = draw("good", ASK, *WAYS)
    bad = draw(
        "bad",
        ASK + '<adHocSubProcess id="chaos" name="Anything goes"/>',
        *("begin ask", "ask chaos", "chaos end"),
    )
    wrong = {"broken.form": b"{", "letter.txt": b"", "no.dmn": b"<definitions/>"}
    with pytest.raises(Refused) as refused:
        deploy_models(bench.uow, bench.engine, good | bad | wrong, by="engineer")
    assert isinstance(refused.value, ModelRefused)
    problems = refused.value.problems
    assert set(problems) == {"bad.bpmn", *wrong}
    assert any(p.element == "chaos" and p.reason for p in problems["bad.bpmn"])
    for name in problems:
        assert name in str(refused.value)
    for table in ("definitions", "decisions", "forms"):
        assert bench.rows(f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"components": []}', b'{"id": 7}', b'{"id": "x"}', b"\xff"],
)
def test_a_form_that_is_none_is_refused_with_a_reason(
    bench: Bench, content: bytes
) -> None:
    with pytest.raises(Refused, match=r"bad\.form: "):
        deploy_models(bench.uow, bench.engine, {"bad.form": content}, by="engineer")


def test_a_deployment_is_in_the_history(bench: Bench) -> None:
    bench.deploy_drawn("probe", ASK, *WAYS)
    assert bench.rows("SELECT kind, actor, data FROM events") == [
        ("deployed", "engineer", {"files": ["probe.bpmn"]})
    ]


def test_a_new_form_is_used_by_the_tasks_that_are_open(bench: Bench) -> None:
    bench.deploy_form("sign", {"type": "textfield", "key": "name"})
    bench.deploy_drawn(
        "probe", ASK.replace("<userTask", '<userTask camunda:formKey="sign"'), *WAYS
    )
    bench.start("probe")
    bench.deploy_form("sign", {"type": "textfield", "key": "badge"})
    (task,) = bench.forms()
    submitted = bench.submit(task.task_id, {"name": "Ada", "badge": "17"})
    assert there(submitted.answer).answers == {"badge": "17"}


@pytest.mark.parametrize("key", ["nothing", "", "DROP TABLE instances", "ö" * 500])
def test_an_unknown_process_is_named(bench: Bench, key: str) -> None:
    with pytest.raises(ProcessUnknown) as unknown:
        bench.start(key)
    assert key in str(unknown.value)
    assert bench.rows("SELECT count(*) FROM instances") == [(0,)]
    assert bench.rows("SELECT count(*) FROM events") == [(0,)]


def test_an_unknown_variable_in_a_condition_is_an_incident_that_can_be_retried(
    bench: Bench,
) -> None:
    bench.deploy_drawn(
        "choice",
        '<startEvent id="begin"/><userTask id="ask"/>'
        '<exclusiveGateway id="which" name="which way?" default="which_to_small"/>'
        '<endEvent id="big"/><endEvent id="small"/>',
        *("begin ask", "ask which", "which small", "which big ${weight_kg > 10}"),
    )
    instance_id = bench.start("choice")
    (task,) = bench.forms()
    bench.submit(task.task_id, {})
    (incident,) = bench.incidents()
    assert (incident.kind, incident.element) == ("stuck", "which")
    assert "weight_kg" in incident.message
    assert bench.instance(instance_id).status == "active"

    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    assert len(bench.incidents()) == 1  # nothing has changed, so it is stuck again

    bench.rows("UPDATE instances SET variables = '{\"weight_kg\": 12}'")
    (incident,) = bench.incidents()
    retry_incident(bench.uow, bench.advance, incident.id, by="boss")
    assert bench.instance(instance_id).status == "completed"
    assert "big" in bench.left(instance_id)
    assert bench.incidents() == []


def test_variables_keep_their_order_and_their_numbers(bench: Bench) -> None:
    bench.deploy_drawn("probe", ASK, *WAYS)
    variables = {"z": 1, "a": [1.5, {"y": None, "b": "ü\u0000"}], "m": 2**53}
    instance_id = bench.start("probe", **variables)
    read = bench.variables(instance_id)
    assert json.dumps(read) == json.dumps(variables)
