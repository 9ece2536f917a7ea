"""The words of Camunda 8: what is honoured, and why the rest is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.engine.lint import check
from mpms.engine.lint.zeebe_vocabulary import INNER, WORDS

Build = Callable[..., bytes]

JOB = "<zeebe:taskDefinition type='t'/>"


def step(tag: str, words: str, inside: str = "") -> str:
    extensions = f"<extensionElements>{words}</extensionElements>"
    return f"<{tag} id='x'>{extensions}{inside}</{tag}>"


def io(mappings: str) -> str:
    return f"<zeebe:ioMapping>{mappings}</zeebe:ioMapping>"


def loop(words: str, inside: str = "") -> str:
    return (
        "<multiInstanceLoopCharacteristics><extensionElements>"
        f"<zeebe:loopCharacteristics {words}/></extensionElements>{inside}"
        "</multiInstanceLoopCharacteristics>"
    )


IN = "<zeebe:input source='=a' target='b'/>"
OUT = "<zeebe:output source='=a' target='b.c'/>"
MESSAGE = "<messageEventDefinition messageRef='m'/>"

ACCEPTED = [
    step("serviceTask", JOB),
    step("serviceTask", "<zeebe:taskDefinition type='=\"t\"' retries='7'/>"),
    step("serviceTask", JOB + io(IN + OUT)),
    step("serviceTask", JOB, loop("inputCollection='=items'")),
    step("sendTask", JOB),
    step("businessRuleTask", JOB),
    step(
        "businessRuleTask", "<zeebe:calledDecision decisionId='d' resultVariable='r'/>"
    ),
    step("scriptTask", JOB),
    step("scriptTask", "<zeebe:script expression='=a + 1' resultVariable='r'/>"),
    step("userTask", "<zeebe:userTask/>"),
    step("userTask", "<zeebe:formDefinition formId='f' bindingType='latest'/>"),
    step(
        "businessRuleTask",
        "<zeebe:calledDecision decisionId='d' bindingType='deployment'/>",
    ),
    step("callActivity", "<zeebe:calledElement processId='p' businessId='=k'/>"),
    step("userTask", "<zeebe:formDefinition formKey='f'/>"),
    step("userTask", "<zeebe:assignmentDefinition candidateGroups='=[\"a\", b]'/>"),
    step("userTask", "<zeebe:taskSchedule dueDate='=due' followUpDate='=due'/>"),
    step("userTask", "<zeebe:priorityDefinition priority='=1'/>"),
    step("callActivity", "<zeebe:calledElement processId='other'/>"),
    step("subProcess", io(IN + OUT), "<startEvent id='i'/>"),
    step("receiveTask", io(OUT)).replace("id='x'", "id='x' messageRef='m'"),
    step("intermediateCatchEvent", io(OUT), MESSAGE),
    step("intermediateThrowEvent", JOB + io(IN), MESSAGE),
    step("intermediateThrowEvent", JOB, "<messageEventDefinition/>"),
    step("intermediateThrowEvent", io(IN), "<signalEventDefinition signalRef='s'/>"),
    "<task id='x' zeebe:modelerTemplate='a' zeebe:modelerTemplateVersion='1'/>",
    step(
        "task",
        "<zeebe:properties><zeebe:property name='a' value='b'/></zeebe:properties>",
    ),
]

REFUSED = [
    (step("serviceTask", "<zeebe:taskDefinition/>"), "needs work to do"),
    (
        step("serviceTask", "<zeebe:taskDefinition type='t' retries='0'/>"),
        "retries '0' is not honoured",
    ),
    (
        step("serviceTask", "<zeebe:taskDefinition type='io.camunda:sendgrid:1'/>"),
        "the connector 'io.camunda:sendgrid:1' of Camunda 8 does not exist here",
    ),
    (step("serviceTask", JOB + JOB), "more than one zeebe:taskDefinition"),
    (step("userTask", JOB), "zeebe:taskDefinition is honoured on tasks and thrown"),
    (
        step("intermediateThrowEvent", JOB, "<signalEventDefinition signalRef='s'/>"),
        "only events that throw a message",
    ),
    (
        step(
            "serviceTask",
            JOB + "<zeebe:executionListeners><zeebe:executionListener "
            "eventType='cancel' type='a'/></zeebe:executionListeners>",
        ),
        "a listener of 'cancel'",
    ),
    (
        step(
            "userTask",
            "<zeebe:taskListeners><zeebe:taskListener eventType='assigning' type='a'/>"
            "</zeebe:taskListeners>",
        ),
        "a task listener of 'assigning'",
    ),
    (step("serviceTask", JOB + "<zeebe:linkedResources/>"), "linkedResources"),
    (step("serviceTask", JOB + "<zeebe:novelty/>"), "zeebe:novelty is not known"),
    (
        step("serviceTask", "<zeebe:taskDefinition type='t' speed='1'/>"),
        "'speed' in zeebe:taskDefinition is not honoured",
    ),
    (step("task", io(IN)), "zeebe:ioMapping is not honoured on this element"),
    (
        step("serviceTask", JOB + io("<zeebe:input target='b'/>")),
        "the input 'b' has no source",
    ),
    (
        step("serviceTask", JOB + io("<zeebe:input source='=a'/>")),
        "one input has no name",
    ),
    (
        step("serviceTask", JOB + io("<zeebe:input source='=a' target='b..c'/>")),
        "'b..c' is no name of a variable",
    ),
    (
        step("serviceTask", JOB + io("<zeebe:input source='=a +' target='b'/>")),
        "input 'b': ",
    ),
    (step("intermediateCatchEvent", io(IN), MESSAGE), "takes no inputs"),
    (step("intermediateThrowEvent", io(OUT), MESSAGE), "no results to map"),
    (step("intermediateThrowEvent", io(IN)), "hands over no variables"),
    (
        step("userTask", "<zeebe:formDefinition formKey='camunda-forms:bpmn:f'/>"),
        "is not inside the model",
    ),
    (
        step("userTask", "<zeebe:formDefinition formId='f' bindingType='versionTag'/>"),
        "the form binding 'versionTag'",
    ),
    (
        step("userTask", "<zeebe:assignmentDefinition candidateGroups='=['/>"),
        "candidate group: ",
    ),
    (step("userTask", "<zeebe:taskSchedule dueDate='soon'/>"), "due date: "),
    (step("callActivity", "<zeebe:calledElement/>"), "needs the process to call"),
    (
        step("callActivity", "<zeebe:calledElement processId='=p +'/>"),
        "called process: ",
    ),
    (
        step(
            "callActivity",
            "<zeebe:calledElement processId='p' bindingType='versionTag'/>",
        ),
        "the binding 'versionTag'",
    ),
    (
        step(
            "callActivity",
            "<zeebe:calledElement processId='p' propagateAllChildVariables='maybe'/>",
        ),
        "neither true nor false",
    ),
    (
        step("businessRuleTask", "<zeebe:calledDecision decisionId='=d +'/>"),
        "decision: ",
    ),
    (step("scriptTask", "<zeebe:script expression='=a'/>"), "needs a result variable"),
    (
        step("scriptTask", "<zeebe:script expression='a' resultVariable='r'/>"),
        "must begin with =",
    ),
    (
        step("scriptTask", "<zeebe:script expression='=a +' resultVariable='r'/>"),
        "expression: ",
    ),
    (
        step("serviceTask", JOB, loop("inputElement='item'")),
        "needs a collection or a number of turns",
    ),
    (
        step("serviceTask", JOB, loop("inputCollection='=a' outputCollection='b'")),
        "needs both a collection and an item",
    ),
    (
        step(
            "serviceTask",
            JOB,
            loop("inputCollection='=a' outputCollection='b' outputElement='=c +'"),
        ),
        "output item: ",
    ),
    (
        "<serviceTask id='x' camunda:type='external' camunda:topic='t'>"
        f"<extensionElements>{JOB}</extensionElements></serviceTask>",
        "speaks both Camunda 7",
    ),
]


@pytest.mark.parametrize("xml", ACCEPTED)
def test_what_camunda_8_writes_is_deployable(line: Build, xml: str) -> None:
    assert check(line(xml)).problems == []


@pytest.mark.parametrize(("xml", "reason"), REFUSED)
def test_what_is_not_executed_is_refused_with_its_word(
    line: Build, xml: str, reason: str
) -> None:
    problems = check(line(xml)).problems
    assert {p.element for p in problems} == {"x"}
    assert any(reason in p.reason for p in problems), problems


def test_a_refused_word_is_told_once(line: Build) -> None:
    listeners = "<zeebe:executionListeners><zeebe:executionListener type='a'/>"
    xml = step("serviceTask", f"{JOB}{listeners}</zeebe:executionListeners>")
    assert len(check(line(xml)).problems) == 1


def test_a_message_with_a_subscription_is_deployable(bpmn: Build) -> None:
    roots = (
        "<message id='k' name='paid'><extensionElements><zeebe:subscription "
        "correlationKey='{}'/></extensionElements></message>"
    )
    body = (
        "<startEvent id='i'/><sequenceFlow id='f' sourceRef='i' targetRef='x'/>"
        "<receiveTask id='x' messageRef='k'/>"
    )
    assert check(bpmn(body, roots.format("=order.number"))).problems == []
    (problem,) = check(bpmn(body, roots.format("=order +"))).problems
    assert (problem.element, "correlation key" in problem.reason) == ("x", True)


def test_every_honoured_element_says_what_may_stand_inside() -> None:
    honoured = {name for name, word in WORDS.items() if word.result != "refused"}
    elements = {f"zeebe:{name}" for name in honoured if not name.startswith("@")}
    assert elements - set(INNER) == {"zeebe:versionTag"}
