"""Words of Camunda 7 that change how a model runs, seen running."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mpms.domain.people.people import Person, Role
from mpms.domain.tasks import FormTask
from tests.support.bpmn_play import Player

FRAME = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="file">
<process id="process" isExecutable="true"><startEvent id="start"/>
<sequenceFlow id="f1" sourceRef="start" targetRef="x"/>{step}</process>
<message id="m" name="ready"/></definitions>"""
EXTERNAL = "camunda:type='external' camunda:topic='send'"


def model(step: str) -> bytes:
    return FRAME.format(step=step).encode()


def mappings(inputs: str = "", outputs: str = "") -> str:
    parts = "".join(
        f"<camunda:{word}Parameter name='{name}'>{value}</camunda:{word}Parameter>"
        for word, text in (("input", inputs), ("output", outputs))
        for name, _, value in [text.partition("=")]
        if text
    )
    return (
        f"<extensionElements><camunda:inputOutput>{parts}</camunda:inputOutput>"
        "</extensionElements>"
    )


@pytest.mark.parametrize("tag", ["intermediateThrowEvent", "endEvent"])
def test_a_thrown_message_with_a_topic_is_sent_by_its_handler(
    play: Player, tag: str
) -> None:
    definition = f"<messageEventDefinition messageRef='m' {EXTERNAL}/>"
    played = play(model(f"<{tag} id='x'>{definition}</{tag}>"), {"a": 1})
    assert (played.wait("x").topic, played.step.throws) == ("send", ())
    played.complete("x", sent=True)
    assert (played.done, played.variables) == (True, {"a": 1, "sent": True})


def test_a_business_rule_task_with_a_topic_is_done_by_its_handler(play: Player) -> None:
    played = play(model(f"<businessRuleTask id='x' {EXTERNAL}/>"))
    assert played.wait("x").topic == "send"


def test_a_subprocess_has_its_inputs_and_maps_its_outputs(play: Player) -> None:
    inside = (
        "<startEvent id='s'/><sequenceFlow id='g' sourceRef='s' targetRef='u'/>"
        "<userTask id='u'/>"
    )
    maps = mappings("own=${a + 1}", "out=${own + 1}")
    played = play(model(f"<subProcess id='x'>{maps}{inside}</subProcess>"), {"a": 1})
    assert played.sees(played.wait("u").task_id) == {"a": 1, "own": 2}
    played.complete("u", own=10)
    assert (played.done, played.variables) == (True, {"a": 1, "out": 11})


def person(login: str, *groups: str) -> Person:
    return Person(1, login, login.title(), Role.WORKER, groups)


def test_candidate_users_may_do_a_task_beside_the_candidate_groups(
    play: Player,
) -> None:
    step = (
        "<userTask id='x' camunda:candidateUsers='ayse, ${helper}' "
        "camunda:candidateGroups='chief'/>"
    )
    wait = play(model(step), {"helper": "bert"}).wait("x")
    now = datetime(2026, 1, 5, tzinfo=UTC)
    task = FormTask(
        "t", "i", None, "x", "", None, None, wait.assignee, wait.groups, {}, now
    )
    assert person("ayse").may_do(task)
    assert person("bert").may_do(task)
    assert person("carl", "chief").may_do(task)
    assert not person("dora", "worker").may_do(task)
