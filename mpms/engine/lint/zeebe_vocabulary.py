"""Camunda 8's extension elements and attributes (``@``): honoured, ignored, refused.

Its rules for variables differ from Camunda 7's and are kept: see ``reading/zeebe``
and the flags ``camunda_8`` of the records.
"""

from __future__ import annotations

from mpms.engine.lint.meanings import (
    HONOURED,
    Inner,
    Word,
    each,
    harmless,
    only,
    refused,
)
from mpms.engine.model import ACTIVITY_TAGS

_USER = frozenset({"userTask"})
_FORMS = frozenset({"userTask", "startEvent"})
_JOBS = frozenset(
    {
        "serviceTask",
        "sendTask",
        "businessRuleTask",
        "scriptTask",
        "intermediateThrowEvent",
        "endEvent",
    }
)
_RULE = frozenset({"businessRuleTask"})
_SCRIPT = frozenset({"scriptTask"})
_CALL = frozenset({"callActivity"})
_LOOP = frozenset({"multiInstanceLoopCharacteristics"})
_MAPPED = (ACTIVITY_TAGS - {"task", "manualTask"}) | {
    "intermediateThrowEvent",
    "endEvent",
    "intermediateCatchEvent",
    "boundaryEvent",
    "startEvent",
}

_LISTENED = ACTIVITY_TAGS - {"task", "manualTask"}

_TEMPLATE = harmless(
    "only for the modeller; what the template filled in counts, and connectors of "
    "Camunda 8 (topics `io.camunda:…`) are refused, for nothing here does their work"
)
_LATEST = "is not honoured; choose 'latest' or 'deployment'"


def _misplaced(word: str, where: str) -> str:
    return f"zeebe:{word} is honoured on {where} only"


def _on_user_tasks(word: str, note: str) -> Word:
    return Word(on=_USER, reason=_misplaced(word, "user tasks"), note=note)


WORDS: dict[str, Word] = {
    "taskDefinition": Word(
        on=_JOBS,
        reason=_misplaced("taskDefinition", "tasks and thrown messages"),
        note="the topic, whose handler does the work, and how often it is tried",
    ),
    "taskHeaders": Word(
        on=_JOBS | _USER,
        reason=_misplaced("taskHeaders", "tasks and thrown messages"),
        note="the handler finds them in the input `taskHeaders`",
    ),
    "ioMapping": Word(
        on=_MAPPED,
        reason="zeebe:ioMapping is not honoured on this element; map the variables "
        "at the next activity",
        note="applied in turn; `order.id` as a target is a place in a map",
    ),
    "loopCharacteristics": Word(
        on=_LOOP,
        reason=_misplaced("loopCharacteristics", "multi-instance loops"),
        note="turns are counted from 1; cancelled turns leave null in the output",
    ),
    "calledElement": Word(
        on=_CALL,
        reason=_misplaced("calledElement", "call activities"),
        note="all variables go in and come out unless told otherwise",
    ),
    "calledDecision": Word(
        on=_RULE,
        reason=_misplaced("calledDecision", "business rule tasks"),
        note="a single output is a plain value, several are a map",
    ),
    "script": Word(
        on=_SCRIPT,
        reason=_misplaced("script", "script tasks"),
        note="one FEEL expression and its result variable",
    ),
    "formDefinition": Word(
        on=_FORMS,
        reason=_misplaced("formDefinition", "user tasks and start events"),
        note="the form file to show",
    ),
    "userTask": _on_user_tasks("userTask", "every user task is one of these"),
    "assignmentDefinition": _on_user_tasks(
        "assignmentDefinition", "assignee, candidate groups and users"
    ),
    "taskSchedule": _on_user_tasks(
        "taskSchedule", "when it is due, and when it is shown"
    ),
    "priorityDefinition": _on_user_tasks(
        "priorityDefinition", "a number, 50 where none is given; higher first"
    ),
    "subscription": Word(
        on=frozenset({"message"}),
        reason=_misplaced("subscription", "messages"),
        note="the key of a message that is waited for",
    ),
    "properties": harmless("only for the modeller"),
    "versionTag": harmless("only for lists"),
    "userTaskForm": Word(
        on=frozenset({"process"}),
        reason=_misplaced("userTaskForm", "processes"),
        note="a form inside the model; it becomes a form of its own at deployment",
    ),
    "executionListeners": Word(
        on=_LISTENED,
        reason="zeebe:executionListeners are executed on activities only; draw the "
        "work as a step of its own, before or after this one",
        note="jobs that are done before the activity begins, or after it",
    ),
    "taskListeners": _on_user_tasks(
        "taskListeners",
        "jobs that are done before the task is shown, or after it has been completed",
    ),
    "conditionalFilter": refused(
        "zeebe:conditionalFilter is not honoured: a condition is looked at whenever "
        "any variable changes; name the variable in the condition"
    ),
    "adHoc": Word(
        on=frozenset({"adHocSubProcess"}),
        reason=_misplaced("adHoc", "ad-hoc subprocesses"),
        note="which activities begin; without it people choose on the tablet",
    ),
    "linkedResources": refused(
        "zeebe:linkedResources are not honoured; use a task with a topic, whose "
        "handler does this work"
    ),
    "publishMessage": refused(
        "zeebe:publishMessage is not honoured; give the task a topic, whose handler "
        "sends the message"
    ),
    "@retryCounter": harmless("Camunda 8 itself ignores it"),
    **each("@modelerTemplate @modelerTemplateVersion @modelerTemplateIcon", _TEMPLATE),
}

_YES_OR_NO = only("true|false", "'{value}' is neither true nor false")
_TAG = refused(f"a version tag {_LATEST}")
_MAPPING = each("source target", HONOURED)

_RETRIES = only(
    r'(=\s*"?)?[1-9][0-9]?"?\s*',
    "retries '{value}' is not honoured; write a number from 1 to 99",
)

INNER: Inner = {
    "zeebe:taskDefinition": {
        "type": HONOURED,
        "retries": _RETRIES,
    },
    "zeebe:executionListeners": each("executionListener", HONOURED),
    "zeebe:executionListener": {
        "eventType": only("start|end", "a listener of '{value}' is not executed"),
        "type": HONOURED,
        "retries": _RETRIES,
    },
    "zeebe:taskHeaders": each("header", HONOURED),
    "zeebe:header": each("key value", HONOURED),
    "zeebe:ioMapping": each("input output", HONOURED),
    "zeebe:input": _MAPPING,
    "zeebe:output": _MAPPING,
    "zeebe:loopCharacteristics": each(
        "inputCollection inputElement outputCollection outputElement", HONOURED
    ),
    "zeebe:calledElement": {
        **each("processId processIdExpression businessId", HONOURED),
        **each("propagateAllChildVariables propagateAllParentVariables", _YES_OR_NO),
        "bindingType": only("latest|deployment", f"the binding '{{value}}' {_LATEST}"),
        "versionTag": _TAG,
    },
    "zeebe:calledDecision": {
        **each("decisionId resultVariable", HONOURED),
        "bindingType": only(
            "latest|deployment", f"the decision binding '{{value}}' {_LATEST}"
        ),
        "versionTag": _TAG,
    },
    "zeebe:script": each("expression resultVariable", HONOURED),
    "zeebe:formDefinition": {
        **each("formId formKey externalReference", HONOURED),
        "bindingType": only(
            "latest|deployment", f"the form binding '{{value}}' {_LATEST}"
        ),
        "versionTag": _TAG,
    },
    "zeebe:userTask": {},
    "zeebe:userTaskForm": each("id", HONOURED),
    "zeebe:adHoc": each("activeElementsCollection", HONOURED),
    "zeebe:assignmentDefinition": each(
        "assignee candidateGroups candidateUsers", HONOURED
    ),
    "zeebe:taskSchedule": {
        "dueDate": HONOURED,
        "followUpDate": HONOURED,
    },
    "zeebe:priorityDefinition": each("priority", HONOURED),
    "zeebe:taskListeners": each("taskListener", HONOURED),
    "zeebe:taskListener": {
        "eventType": only(
            "creating|completing",
            "a task listener of '{value}' is not executed, only of 'creating' and "
            "'completing'",
        ),
        "type": HONOURED,
        "retries": _RETRIES,
    },
    "zeebe:subscription": each("correlationKey", HONOURED),
    "zeebe:properties": each("property", HONOURED),
    "zeebe:property": each("value", HONOURED),
}
"""What may stand inside an honoured extension element, as attribute or child."""
