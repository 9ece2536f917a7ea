"""Camunda 7's attributes (``@``) and extension elements: honoured, ignored, refused.

Ignored is what Camunda itself ignores at that place, what only orders lists, and
what asks for durability, since every step here is durable.
"""

from __future__ import annotations

from mpms.engine.lint.meanings import (
    ANYWHERE,
    HONOURED,
    Inner,
    Word,
    each,
    harmless,
    only,
    refused,
)
from mpms.engine.model import ACTIVITY_TAGS
from mpms.engine.reading.inner_forms import CONSTRAINTS, FIELD_TYPES
from mpms.engine.reading.tags import NODE_TAGS

_USER = frozenset({"userTask"})
_FORMS = frozenset({"userTask", "startEvent"})
_EXTERNAL = frozenset(
    {"serviceTask", "sendTask", "businessRuleTask", "messageEventDefinition"}
)
_RULE = frozenset({"businessRuleTask"})
_CALL = frozenset({"callActivity"})
_LOOP = frozenset({"multiInstanceLoopCharacteristics"})
_CONDITION = frozenset({"conditionalEventDefinition"})
_ERROR = frozenset({"errorEventDefinition"})
_MAPPED = ACTIVITY_TAGS

_JAVA = "calls code of another system; set the type 'external' and a topic instead"
_VERSION = "is not honoured; choose 'latest' or 'deployment'"
_NO_TENANTS = "tenants are not honoured; remove the tenant id"
_LISTENER = (
    "{}: {} calls code of another system; write an expression like "
    "${{execution.setVariable('name', value)}} or a script of the format 'mpms', or "
    "draw the work as a step of its own"
)
_OTHER_FILE = "camunda:resource is not honoured; write the script into the model"
_GENERATED = "generated forms are not shown; use camunda:formKey with a form file"
_STARTERS = "is honoured on processes only"

_HELD = NODE_TAGS | _LOOP
_COMMIT = Word(
    on=_HELD,
    note="all before is committed, then a worker goes on; on a loop: each turn",
)
_SHOWN = harmless("only for the modeller and its lists")

WORDS: dict[str, Word] = {
    "@formKey": Word(on=_FORMS, note="the form file to show"),
    "@formRef": Word(on=_FORMS, note="the form file to show"),
    "@formRefBinding": Word(
        on=_FORMS,
        values="latest|deployment",
        reason=f"the form binding '{{value}}' {_VERSION}",
        note="latest or deployment",
    ),
    "@formRefVersion": refused(f"camunda:formRefVersion {_VERSION}"),
    "@formHandlerClass": refused(
        "camunda:formHandlerClass calls code of another system; check the form's "
        "answers in a step after it"
    ),
    "@assignee": Word(on=_USER, note="the one person who may do the task"),
    "@candidateGroups": Word(on=_USER, note="whose task it is"),
    "@candidateUsers": Word(on=_USER, note="whose task it is, beside the groups"),
    "@dueDate": Word(
        on=_USER,
        note="an instant, a day or a duration; the task is late afterwards and an "
        "alarm says so",
    ),
    "@followUpDate": Word(on=_USER, note="the task is not shown before"),
    "@priority": Word(on=_USER, note="a number, 50 where none is given; higher first"),
    "@type": Word(
        on=_EXTERNAL,
        values="external",
        reason="camunda:type '{value}' is not executed; set it to 'external' on a "
        "service, send or business rule task or on a thrown message, and a topic",
        note="only 'external'",
    ),
    "@topic": Word(
        on=_EXTERNAL,
        reason="camunda:topic is honoured on service, send and business rule tasks "
        "and on thrown messages only",
        note="which handler does the work",
    ),
    "@class": refused(f"camunda:class {_JAVA}"),
    "@delegateExpression": refused(f"camunda:delegateExpression {_JAVA}"),
    "@expression": refused(f"camunda:expression {_JAVA}"),
    "@resultVariable": Word(
        on=_RULE,
        reason="camunda:resultVariable is not honoured on script tasks: a script "
        "assigns its variables itself, like 'total = a + b'",
        refused_on=frozenset({"scriptTask"}),
        note="the variable that gets the decision's result",
    ),
    "@resource": refused(_OTHER_FILE),
    "@decisionRef": Word(on=_RULE, note="the decision to make"),
    "@mapDecisionResult": Word(
        on=_RULE,
        values="singleEntry|singleResult|collectEntries|resultList",
        reason="the decision result '{value}' is not known",
        refused_on=_RULE,
        note="how the result is shaped",
    ),
    "@decisionRefBinding": Word(
        on=_RULE,
        values="latest|deployment|version",
        reason=f"the decision binding '{{value}}' {_VERSION}",
        note="latest, version, or deployment: what was there when the model was "
        "deployed",
    ),
    "@decisionRefVersion": Word(
        on=_RULE,
        values="[1-9][0-9]{0,8}",
        reason="the version '{value}' of the decision is no number",
        note="the number of the version, with the binding 'version'",
    ),
    "@decisionRefVersionTag": refused(f"camunda:decisionRefVersionTag {_VERSION}"),
    "@decisionRefTenantId": refused(_NO_TENANTS),
    "@calledElementBinding": Word(
        on=_CALL,
        values="latest|deployment|version",
        reason=f"the call binding '{{value}}' {_VERSION}",
        note="latest, version, or deployment: what was there when the caller was "
        "deployed",
    ),
    "@calledElementVersion": Word(
        on=_CALL,
        values="[1-9][0-9]{0,8}",
        reason="the version '{value}' to call is no number",
        note="the number of the version, with the binding 'version'",
    ),
    "@calledElementVersionTag": refused(f"camunda:calledElementVersionTag {_VERSION}"),
    "@calledElementTenantId": refused(_NO_TENANTS),
    **each(
        "@caseRef @caseBinding @caseVersion @caseTenantId",
        refused("CMMN cases are not executed; call a process with calledElement"),
    ),
    **{
        f"@{word}": refused(
            f"camunda:{word} calls code of another system; map the variables with "
            "camunda:in and camunda:out"
        )
        for word in ("variableMappingClass", "variableMappingDelegateExpression")
    },
    "@collection": Word(
        on=_LOOP,
        reason="camunda:collection stands outside a multi-instance loop",
        note="one turn for each of these",
    ),
    "@elementVariable": Word(
        on=_LOOP,
        reason="camunda:elementVariable stands outside a multi-instance loop",
        note="the variable of a turn that has its item",
    ),
    "@errorCodeVariable": Word(on=_ERROR, note="gets the code of a caught error"),
    "@errorMessageVariable": Word(on=_ERROR, note="gets the message of a caught error"),
    "@errorMessage": Word(
        on=frozenset({"error"}),
        note="the message of whoever throws it; else the name of the end event",
    ),
    "@escalationCodeVariable": Word(
        on=frozenset({"escalationEventDefinition"}),
        note="gets the code of a caught escalation",
    ),
    "@variableName": Word(
        on=_CONDITION, note="the condition is looked at when this variable changes"
    ),
    "@variableEvents": Word(
        on=_CONDITION, note="which changes count: create, update, delete"
    ),
    "@initiator": Word(
        on=frozenset({"startEvent"}),
        reason="camunda:initiator is honoured on start events only",
        note="the variable that gets who started the process",
    ),
    "@candidateStarterGroups": Word(
        on=frozenset({"process"}),
        reason=f"camunda:candidateStarterGroups {_STARTERS}",
        note="only these people, and administrators, may start it",
    ),
    "@candidateStarterUsers": Word(
        on=frozenset({"process"}),
        reason=f"camunda:candidateStarterUsers {_STARTERS}",
        note="only these people, and administrators, may start it",
    ),
    **each("@async @asyncAfter @asyncBefore", _COMMIT),
    "@exclusive": harmless("two jobs of one instance never run at the same time"),
    **each(
        "@jobPriority @taskPriority",
        Word(
            on=_HELD | {"process"},
            note="workers take up jobs with a higher number first",
        ),
    ),
    **each(
        "@diagramRelationId @isStartableInTasklist @modelerTemplate "
        "@modelerTemplateIcon @modelerTemplateVersion @versionTag",
        _SHOWN,
    ),
    "@historyTimeToLive": harmless("the plant decides how long history is kept"),
    "@failedJobRetryTimeCycle": Word(on=ANYWHERE, note="such as R3/PT10S"),
    "failedJobRetryTimeCycle": Word(on=ANYWHERE, note="such as R3/PT10S"),
    "properties": harmless(
        "only correlationKey, the key of a message, and missedTurns are honoured: the "
        "turns of a timer that nobody could take are one turn, with `all` each is taken"
    ),
    "inputOutput": Word(
        on=_MAPPED,
        reason="camunda:inputOutput is honoured on activities only",
        note="texts, expressions, lists and maps",
    ),
    "in": Word(
        on=_CALL,
        reason="camunda:in is honoured on call activities only",
        note="variables and business key for the called process; a variable that "
        "does not exist is null, or an incident with MPMS_CALL_MISSING",
    ),
    "out": Word(
        on=_CALL,
        reason="camunda:out is honoured on call activities only",
        note="variables of the called process; one that does not exist is null, or an "
        "incident with MPMS_CALL_MISSING",
    ),
    "connector": refused(
        "connectors are not executed; use an external task with a topic"
    ),
    "connectorId": refused(
        "connectors are not executed; use an external task with a topic"
    ),
    "executionListener": Word(
        on=NODE_TAGS | {"process", "sequenceFlow"},
        reason="camunda:executionListener is executed on elements, flows and processes "
        "only",
        note="an expression or a script, done in the step; those bound to Java are "
        "refused",
    ),
    "taskListener": Word(
        on=_USER,
        reason="camunda:taskListener is executed on user tasks only",
        note="an expression or a script, when the task is created, assigned, changed, "
        "completed or cancelled, or when a timer inside the listener is due; of what "
        "people do with an open task it hears from a worker, right after the commit; "
        "those bound to Java are refused",
    ),
    "formData": Word(
        on=_FORMS,
        reason="camunda:formData is honoured on user tasks and start events only",
        note="becomes a form of its own at deployment",
    ),
    "formProperty": refused(_GENERATED),
    "field": refused(
        "camunda:field is for code of another system; use camunda:inputOutput"
    ),
    "errorEventDefinition": refused(
        "error mappings of external tasks are not honoured; the handler itself names "
        "the error, and an error boundary event catches it"
    ),
    "potentialStarter": refused(
        "camunda:potentialStarter is not honoured; write candidateStarterGroups and "
        "candidateStarterUsers at the process instead"
    ),
}

_SCRIPT = refused(
    "inline scripts as values are not executed; use an expression like ${a}"
)
_VALUES = {"list": HONOURED, "map": HONOURED, "script": _SCRIPT}


def _told(listener: str) -> dict[str, Word]:
    """What a listener may do."""
    java = {
        word: refused(_LISTENER.format(listener, f"the {noun}"))
        for word, noun in (
            ("class", "class"),
            ("delegateExpression", "delegate expression"),
            ("field", "field"),
        )
    }
    return {**each("expression script", HONOURED), **java}


def _local(owner: str) -> Word:
    return only(
        "false",
        f"{owner} with 'local' is not honoured; name the variables one by one",
    )


INNER: Inner = {
    "camunda:inputOutput": each("inputParameter outputParameter", HONOURED),
    "camunda:inputParameter": _VALUES,
    "camunda:outputParameter": _VALUES,
    "camunda:list": {**_VALUES, "value": HONOURED},
    "camunda:map": each("entry", HONOURED),
    "camunda:entry": {**_VALUES, "key": HONOURED},
    "camunda:value": {**_VALUES, **each("id name", HONOURED)},
    "camunda:in": {
        **each("source sourceExpression target businessKey", HONOURED),
        "variables": only("all", "camunda:in with variables '{value}'"),
        "local": _local("camunda:in"),
    },
    "camunda:out": {
        **each("source sourceExpression target", HONOURED),
        "variables": only("all", "camunda:out with variables '{value}'"),
        "local": _local("camunda:out"),
    },
    "camunda:properties": each("property", HONOURED),
    "camunda:property": each("value", HONOURED),
    "camunda:executionListener": {
        "event": only("start|end|take", "a listener of '{value}' is not executed"),
        **_told("camunda:executionListener"),
    },
    "camunda:taskListener": {
        "event": only(
            "create|assignment|update|complete|delete|timeout",
            "a task listener of '{value}' is not executed; there are create, "
            "assignment, update, complete, delete and timeout",
        ),
        "id": HONOURED,
        "timerEventDefinition": HONOURED,
        **_told("camunda:taskListener"),
    },
    "camunda:script": {
        "scriptFormat": only(
            "mpms",
            "scripts in '{value}' are not executed; set the format 'mpms' and write "
            "assignments like total = a + b",
        ),
        "resource": refused(_OTHER_FILE),
    },
    "camunda:failedJobRetryTimeCycle": {},
    "camunda:formData": {
        "formField": HONOURED,
        "businessKey": refused("a field for the business key is not honoured"),
    },
    "camunda:formField": {
        **each("id label defaultValue value validation", HONOURED),
        "type": only(
            "|".join(FIELD_TYPES),
            "the field type '{value}' is not known; draw a form file",
        ),
        "properties": harmless("only for the page of Camunda"),
        "datePattern": harmless("dates are written as everywhere here"),
    },
    "camunda:validation": each("constraint", HONOURED),
    "camunda:constraint": {
        "name": only(
            "|".join(CONSTRAINTS),
            "the constraint '{value}' calls code of another system; draw a form file",
        ),
        "config": HONOURED,
    },
}
"""What may stand inside an honoured extension element, as attribute or child."""
