"""Tasks, calls and loops: what they need, and which words of Camunda they honour."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.engine.lint import check

Build = Callable[..., bytes]

EXTERNAL = 'camunda:type="external" camunda:topic="t"'
SERVICE = f'<serviceTask id="x" {EXTERNAL}>{{}}</serviceTask>'
CALL = '<callActivity id="x" calledElement="other" {}/>'
RULE = '<businessRuleTask id="x" camunda:decisionRef="d" {}/>'
MULTI = "<multiInstanceLoopCharacteristics {}</multiInstanceLoopCharacteristics>"
STANDARD = "<standardLoopCharacteristics {}</standardLoopCharacteristics>"


def extension(inner: str) -> str:
    return f"<extensionElements>{inner}</extensionElements>"


def inputs(inner: str) -> str:
    return extension(f"<camunda:inputOutput>{inner}</camunda:inputOutput>")


ACCEPTED = [
    "<task id='x'/>",
    "<manualTask id='x'/>",
    "<userTask id='x'/>",
    '<userTask id="x" camunda:formKey="load" camunda:candidateGroups="worker"/>',
    '<userTask id="x" camunda:formRef="load" camunda:formRefBinding="latest"/>',
    '<userTask id="x" camunda:dueDate="2030-01-31T08:00:00Z" camunda:priority="1"/>',
    '<userTask id="x" camunda:dueDate="${due}" camunda:assignee="Order ${a}"/>',
    SERVICE.format(""),
    SERVICE.format(inputs("<camunda:inputParameter name='a'/>")),
    SERVICE.format(
        extension(
            "<camunda:failedJobRetryTimeCycle>R3/PT1M"
            "</camunda:failedJobRetryTimeCycle>"
            "<vendor:note><vendor:deep/></vendor:note>"
        )
    ),
    '<serviceTask id="x" camunda:asyncBefore="true" camunda:exclusive="false" '
    f'camunda:jobPriority="3" vendor:colour="red" {EXTERNAL}/>',
    "<scriptTask id='x'><script>a = 1</script></scriptTask>",
    "<scriptTask id='x' scriptFormat='mpms'><script>a = 1\nb = a + 1</script>"
    "</scriptTask>",
    RULE.format('camunda:mapDecisionResult="singleEntry" camunda:resultVariable="r"'),
    RULE.format('camunda:decisionRefBinding="latest"'),
    RULE.format('camunda:decisionRefBinding="deployment"'),
    RULE.format('camunda:decisionRefBinding="version" camunda:decisionRefVersion="3"'),
    "<sendTask id='x' messageRef='m'/>",
    f"<sendTask id='x' {EXTERNAL}/>",
    "<receiveTask id='x' messageRef='m'/>",
    CALL.format(""),
    CALL.format('camunda:calledElementBinding="latest"'),
    "<subProcess id='x'><startEvent id='i'/></subProcess>",
    "<subProcess id='x'><startEvent id='i'/>"
    + inputs("<camunda:inputParameter name='a'>1</camunda:inputParameter>")
    + "</subProcess>",
    f"<businessRuleTask id='x' {EXTERNAL}/>",
    "<task id='x'>" + MULTI.format('camunda:collection="items">') + "</task>",
    "<task id='x'>" + MULTI.format('camunda:collection="${items}">') + "</task>",
    "<task id='x'>"
    + MULTI.format('isSequential="true"><loopCardinality>3</loopCardinality>')
    + "</task>",
    "<task id='x'>"
    + MULTI.format(
        "><loopCardinality>${n}</loopCardinality>"
        "<completionCondition>${done}</completionCondition>"
    )
    + "</task>",
    "<task id='x'>"
    + STANDARD.format('loopMaximum="3"><loopCondition>${again}</loopCondition>')
    + "</task>",
    "<task id='x'><ioSpecification><dataInput id='i'/><inputSet>"
    "<dataInputRefs>i</dataInputRefs></inputSet><outputSet/></ioSpecification></task>",
]

REFUSED = [
    ("<serviceTask id='x'/>", "needs work to do"),
    ('<serviceTask id="x" camunda:topic="t"/>', "needs work to do"),
    ('<serviceTask id="x" camunda:type="mail"/>', "camunda:type 'mail'"),
    ('<serviceTask id="x" camunda:class="com.A"/>', "camunda:class calls code"),
    ('<serviceTask id="x" camunda:expression="${a.b()}"/>', "camunda:expression"),
    (
        '<serviceTask id="x" camunda:delegateExpression="${a}"/>',
        "camunda:delegateExpression",
    ),
    (
        '<serviceTask id="x" camunda:type="external" camunda:topic="${t +}"/>',
        "topic: ",
    ),
    ('<userTask id="x" camunda:formKey="embedded:app:a.html"/>', "embedded forms"),
    ('<userTask id="x" camunda:formKey="app:a.html"/>', "another application"),
    ('<userTask id="x" camunda:formKey="camunda-forms:app:a.form"/>', "not known"),
    ('<userTask id="x" camunda:formKey="a b"/>', "'a b' is no name of a form"),
    (
        '<userTask id="x" camunda:formRefBinding="version"/>',
        "'version' is not honoured",
    ),
    ('<userTask id="x" camunda:dueDate="soon"/>', "due date: "),
    ('<userTask id="x" camunda:assignee="${a b}"/>', "assignee: "),
    ('<userTask id="x" camunda:candidateGroups="a, ${"/>', "candidate group: "),
    ('<userTask id="x" camunda:topic="t"/>', "camunda:topic is honoured on"),
    ('<userTask id="x" camunda:brandNew="t"/>', "camunda:brandNew is not known"),
    ('<userTask id="x" formKey="load"/>', "attribute 'formKey' is not known"),
    ("<userTask id='x'><formKey/></userTask>", "element 'formKey' is not known"),
    ("<userTask id='x'><potentialOwner/></userTask>", "who does a task is read from"),
    ("<scriptTask id='x'/>", "needs a script"),
    ("<scriptTask id='x'><script>a +</script></scriptTask>", "script: "),
    (
        "<scriptTask id='x' scriptFormat='groovy'><script>a = 1</script></scriptTask>",
        "scripts in 'groovy' are not executed",
    ),
    ('<scriptTask id="x" camunda:resource="a.js"/>', "camunda:resource"),
    (
        '<scriptTask id="x" camunda:resultVariable="r"><script>a = 1</script>'
        "</scriptTask>",
        "camunda:resultVariable is not honoured on script tasks",
    ),
    ("<businessRuleTask id='x'/>", "needs a decision"),
    ('<userTask id="x" camunda:type="external"/>', "camunda:type 'external'"),
    (RULE.format(EXTERNAL), "or an external topic, not both"),
    (RULE.format('camunda:decisionRefBinding="version"'), "go together"),
    (RULE.format('camunda:decisionRefVersion="3"'), "go together"),
    (RULE.format('camunda:decisionRefBinding="versionTag"'), "decision binding"),
    (RULE.format('camunda:mapDecisionResult="odd"'), "decision result 'odd'"),
    ("<sendTask id='x'/>", "either a message with a name or an external topic"),
    (f"<sendTask id='x' messageRef='m' {EXTERNAL}/>", "either a message"),
    ("<receiveTask id='x'/>", "needs a message with a name"),
    ("<receiveTask id='x' messageRef='nameless'/>", "needs a message with a name"),
    ("<receiveTask id='x' messageRef='m' instantiate='true'/>", "starting a process"),
    ("<callActivity id='x'/>", "needs the process to call"),
    (CALL.format('camunda:calledElementBinding="versionTag"'), "call binding"),
    (CALL.format('camunda:calledElementVersion="2"'), "go together"),
    ('<callActivity id="x" camunda:caseRef="c"/>', "CMMN"),
    (CALL.format('camunda:variableMappingClass="A"'), "variableMappingClass"),
    ("<task id='x' isForCompensation='true'/>", "is outside the flow"),
    ("<task id='x' startQuantity='2'/>", "a start quantity of 2"),
    ("<task id='x'>" + MULTI.format(">") + "</task>", "needs a collection or a number"),
    (
        "<task id='x'>"
        + MULTI.format('camunda:collection="a"><loopCardinality>3</loopCardinality>')
        + "</task>",
        "both a collection and a number of turns",
    ),
    (
        "<task id='x'>"
        + MULTI.format("><loopCardinality>many</loopCardinality>")
        + "</task>",
        "number of turns: 'many' is no whole number",
    ),
    (
        "<task id='x'>"
        + MULTI.format('behavior="None" camunda:collection="a">')
        + "</task>",
        "behaviour 'None'",
    ),
    (
        "<task id='x'>"
        + MULTI.format(
            'camunda:collection="a"><completionCondition>${</completionCondition>'
        )
        + "</task>",
        "completion condition: ",
    ),
    (
        "<task id='x'>"
        + MULTI.format(
            'camunda:collection="a"><loopDataOutputRef>o</loopDataOutputRef>'
        )
        + "</task>",
        "output needs both a collection and an item",
    ),
    (
        "<task id='x'>" + STANDARD.format(">") + "</task>",
        "a condition or a maximum to end",
    ),
    (
        "<task id='x'>"
        + STANDARD.format('loopMaximum="n"><loopCondition>${a}</loopCondition>')
        + "</task>",
        "'n' is no number of turns",
    ),
    (SERVICE.format(extension("<camunda:executionListener/>")), "executionListener"),
    (SERVICE.format(extension("<camunda:taskListener/>")), "taskListener"),
    (SERVICE.format(extension("<camunda:field name='a'/>")), "camunda:field"),
    (
        SERVICE.format(
            extension(
                "<camunda:connector><camunda:connectorId>http</camunda:connectorId>"
                "<camunda:inputOutput/></camunda:connector>"
            )
        ),
        "connectors are not executed",
    ),
    (
        SERVICE.format(extension("<camunda:errorEventDefinition errorRef='e'/>")),
        "error mappings",
    ),
    (SERVICE.format(extension("<camunda:novelty/>")), "camunda:novelty is not known"),
    (SERVICE.format(extension("<camunda:in variables='all'/>")), "camunda:in is"),
    (
        SERVICE.format(extension("<zeebe:taskDefinition type='t'/>")),
        "speaks both Camunda 7 (camunda:type) and Camunda 8 (zeebe:taskDefinition)",
    ),
    ('<userTask id="x" activiti:assignee="a"/>', "drawn for Activiti"),
    (
        "<userTask id='x'>"
        + extension(
            "<camunda:formData><camunda:formField id='a' type='money'/>"
            "</camunda:formData>"
        )
        + "</userTask>",
        "the field type 'money' is not known",
    ),
    (
        SERVICE.format(
            extension(
                "<camunda:failedJobRetryTimeCycle>often"
                "</camunda:failedJobRetryTimeCycle>"
            )
        ),
        "retry cycle: ",
    ),
    (
        SERVICE.format(
            inputs(
                "<camunda:inputParameter name='a'><camunda:script>1</camunda:script>"
                "</camunda:inputParameter>"
            )
        ),
        "inline scripts as values",
    ),
    (
        SERVICE.format(
            inputs("<camunda:inputParameter name='a'>${1 +}</camunda:inputParameter>")
        ),
        "input 'a': ",
    ),
    (
        SERVICE.format(
            inputs(
                "<camunda:inputParameter name='a'><camunda:list><camunda:value>${"
                "</camunda:value></camunda:list></camunda:inputParameter>"
            )
        ),
        "input 'a': ",
    ),
    (
        SERVICE.format(
            inputs("<camunda:outputParameter>1</camunda:outputParameter>"),
        ),
        "one output has no name",
    ),
    (
        "<intermediateThrowEvent id='x'>"
        + inputs("<camunda:inputParameter name='a'>1</camunda:inputParameter>")
        + "</intermediateThrowEvent>",
        "camunda:inputOutput is honoured on activities only",
    ),
    (
        CALL.replace("/>", ">{}</callActivity>").format(
            "", extension("<camunda:in source='a' target='b' local='true'/>")
        ),
        "camunda:in with 'local' is not honoured",
    ),
    (
        CALL.replace("/>", ">{}</callActivity>").format(
            "", extension("<camunda:in source='a b' target='b'/>")
        ),
        "passed variable 'b': ",
    ),
    (
        CALL.replace("/>", ">{}</callActivity>").format(
            "", extension("<camunda:out target='b'/>")
        ),
        "one returned variable has no source",
    ),
    (
        CALL.replace("/>", ">{}</callActivity>").format(
            "", extension("<camunda:in businessKey='${execution.id}'/>")
        ),
        "'execution' belongs to the Java side of Camunda",
    ),
    (
        "<exclusiveGateway id='x'>" + MULTI.format(">") + "</exclusiveGateway>",
        "only act",
    ),
    (
        "<task id='x'><dataInputAssociation><assignment><from>a</from><to>b</to>"
        "</assignment></dataInputAssociation></task>",
        "data assignments are not executed",
    ),
]


@pytest.mark.parametrize("step", ACCEPTED)
def test_what_the_engine_executes_is_deployable(line: Build, step: str) -> None:
    lint = check(line(step))
    assert lint.problems == []
    assert lint.deployable


@pytest.mark.parametrize(("step", "reason"), REFUSED)
def test_what_it_does_not_execute_is_refused_with_one_reason(
    line: Build, step: str, reason: str
) -> None:
    lint = check(line(step))
    assert [p.element for p in lint.problems] == ["x"], lint.problems
    assert reason in lint.problems[0].reason


@pytest.mark.parametrize(
    ("tag", "deployable"),
    [("intermediateThrowEvent", True), ("intermediateCatchEvent", False)],
)
def test_a_topic_sends_messages_but_does_not_wait_for_them(
    line: Build, tag: str, deployable: bool
) -> None:
    step = f"<{tag} id='x'><messageEventDefinition messageRef='m' {EXTERNAL}/></{tag}>"
    assert check(line(step)).deployable is deployable


@pytest.mark.parametrize(
    ("step", "known", "reason"),
    [
        (SERVICE.format(""), {"known_topics": {"u"}}, "for the topic 't'"),
        (SERVICE.format(""), {"known_topics": {"t"}}, ""),
        (
            f"<businessRuleTask id='x' {EXTERNAL}/>",
            {"known_topics": {"u"}},
            "for the topic 't'",
        ),
        ("<userTask id='x' camunda:formKey='f'/>", {"known_forms": set()}, "form 'f'"),
        ("<userTask id='x' camunda:formKey='f'/>", {"known_forms": {"f"}}, ""),
        (RULE.format(""), {"known_decisions": set()}, "decision 'd'"),
        (RULE.format(""), {"known_decisions": {"d"}}, ""),
        (CALL.format(""), {"known_processes": set()}, "process 'other' to call"),
        (CALL.format(""), {"known_processes": {"other"}}, ""),
        (CALL.replace("other", "p").format(""), {"known_processes": set()}, ""),
    ],
)
def test_what_the_plant_does_not_have_is_a_problem(
    line: Build, step: str, known: dict[str, set[str]], reason: str
) -> None:
    sets = {key: frozenset(names) for key, names in known.items()}
    problems = check(line(step), **sets).problems
    assert [reason in p.reason for p in problems] == ([True] if reason else [])
