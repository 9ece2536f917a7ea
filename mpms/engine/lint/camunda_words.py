"""Camunda 7's attributes (``@``) and extension elements: honoured, harmless, refused.

Harmless is what Camunda itself ignores at that place, what only orders lists, and
what asks for durability, since every step here is durable.
"""

from __future__ import annotations

from mpms.engine.lint.words import ANYWHERE, HARMLESS, Word, each, refused
from mpms.engine.model import ACTIVITY_TAGS, SUBPROCESS_TAGS
from mpms.engine.reading.loops import LOOP_TAGS

_USER = frozenset({"userTask"})
_FORMS = frozenset({"userTask", "startEvent"})
_EXTERNAL = frozenset({"serviceTask", "sendTask"})
_RULE = frozenset({"businessRuleTask"})
_CALL = frozenset({"callActivity"})
_TASKS = ACTIVITY_TAGS - SUBPROCESS_TAGS - _CALL

_JAVA = "calls code of another system; set the type 'external' and a topic instead"
_VERSION = "is not honoured: always the latest version is used"
_LISTENER = "listeners are not executed; draw the work as a step of its own"
_OTHER_FILE = "camunda:resource is not honoured; write the script into the model"
_GENERATED = "generated task forms are not shown; use camunda:formKey with a form file"

WORDS: dict[str, Word] = {
    "@formKey": Word(on=_FORMS),
    "@formRef": Word(on=_FORMS),
    "@formRefBinding": Word(
        on=_FORMS,
        values="latest|deployment",
        reason=f"the form binding '{{value}}' {_VERSION}",
    ),
    "@formRefVersion": refused(f"camunda:formRefVersion {_VERSION}"),
    "@formHandlerClass": refused(f"camunda:formHandlerClass {_JAVA}"),
    "@assignee": Word(on=_USER),
    "@candidateGroups": Word(on=_USER),
    "@candidateUsers": Word(on=_USER),
    "@dueDate": Word(on=_USER),
    "@followUpDate": HARMLESS,
    "@priority": HARMLESS,
    "@type": Word(
        on=_EXTERNAL,
        values="external",
        reason="camunda:type '{value}' is honoured on service and send tasks only, "
        "and only as 'external'",
    ),
    "@topic": Word(
        on=_EXTERNAL,
        reason="camunda:topic is honoured on service and send tasks only",
    ),
    "@class": refused(f"camunda:class {_JAVA}"),
    "@delegateExpression": refused(f"camunda:delegateExpression {_JAVA}"),
    "@expression": refused(f"camunda:expression {_JAVA}"),
    "@resultVariable": Word(
        on=_RULE,
        reason="camunda:resultVariable is not honoured on script tasks: a script "
        "assigns its variables itself, like 'total = a + b'",
        refused_on=frozenset({"scriptTask"}),
    ),
    "@resource": refused(_OTHER_FILE),
    "@decisionRef": Word(on=_RULE),
    "@mapDecisionResult": Word(
        on=_RULE,
        values="singleEntry|singleResult|collectEntries|resultList",
        reason="the decision result '{value}' is not known",
        refused_on=_RULE,
    ),
    "@decisionRefBinding": Word(
        on=_RULE, values="latest", reason=f"the decision binding '{{value}}' {_VERSION}"
    ),
    "@decisionRefVersion": refused(f"camunda:decisionRefVersion {_VERSION}"),
    "@decisionRefVersionTag": refused(f"camunda:decisionRefVersionTag {_VERSION}"),
    "@decisionRefTenantId": refused("tenants are not honoured"),
    "@calledElementBinding": Word(
        on=_CALL, values="latest", reason=f"the call binding '{{value}}' {_VERSION}"
    ),
    "@calledElementVersion": refused(f"camunda:calledElementVersion {_VERSION}"),
    "@calledElementVersionTag": refused(f"camunda:calledElementVersionTag {_VERSION}"),
    "@calledElementTenantId": refused("tenants are not honoured"),
    **dict.fromkeys(
        ("@caseRef", "@caseBinding", "@caseVersion", "@caseTenantId"),
        refused("CMMN cases are not executed; call a process"),
    ),
    "@variableMappingClass": refused(f"camunda:variableMappingClass {_JAVA}"),
    "@variableMappingDelegateExpression": refused(
        f"camunda:variableMappingDelegateExpression {_JAVA}"
    ),
    "@collection": Word(
        on=LOOP_TAGS, reason="camunda:collection stands outside a multi-instance loop"
    ),
    "@elementVariable": Word(
        on=LOOP_TAGS,
        reason="camunda:elementVariable stands outside a multi-instance loop",
    ),
    "@errorCodeVariable": Word(on=frozenset({"errorEventDefinition"})),
    "@errorMessageVariable": Word(on=frozenset({"errorEventDefinition"})),
    "@errorMessage": refused("camunda:errorMessage is not honoured"),
    "@initiator": refused(
        "camunda:initiator is not honoured: who started a process is in its history"
    ),
    "@candidateStarterGroups": refused(
        "camunda:candidateStarterGroups is not honoured: a model does not restrict "
        "who may start it"
    ),
    "@candidateStarterUsers": refused(
        "camunda:candidateStarterUsers is not honoured: a model does not restrict "
        "who may start it"
    ),
    **each(
        "@async @asyncAfter @asyncBefore @diagramRelationId "
        "@escalationCodeVariable @exclusive @historyTimeToLive "
        "@isStartableInTasklist @jobPriority @modelerTemplate "
        "@modelerTemplateIcon @modelerTemplateVersion @taskPriority "
        "@variableEvents @variableName @versionTag",
        HARMLESS,
    ),
    "@failedJobRetryTimeCycle": Word(on=ANYWHERE),
    "failedJobRetryTimeCycle": Word(on=ANYWHERE),
    "properties": HARMLESS,
    "inputOutput": Word(
        on=_TASKS | _CALL,
        reason="camunda:inputOutput is honoured on tasks and call activities only",
    ),
    "in": Word(on=_CALL, reason="camunda:in is honoured on call activities only"),
    "out": Word(on=_CALL, reason="camunda:out is honoured on call activities only"),
    "connector": refused("connectors are not executed; use an external task"),
    "executionListener": refused(_LISTENER),
    "taskListener": refused(_LISTENER),
    "formData": refused(_GENERATED),
    "formProperty": refused(_GENERATED),
    "field": refused(f"camunda:field {_JAVA}"),
    "errorEventDefinition": refused(
        "error mappings of external tasks are not honoured; the handler itself names "
        "the error"
    ),
    "potentialStarter": refused("a model does not restrict who may start it"),
}

_VALUES = frozenset({"list", "map"})
INNER: dict[str, frozenset[str]] = {
    "camunda:inputOutput": frozenset({"inputParameter", "outputParameter"}),
    "camunda:inputParameter": _VALUES,
    "camunda:outputParameter": _VALUES,
    "camunda:list": _VALUES | {"value"},
    "camunda:map": frozenset({"entry"}),
    "camunda:entry": _VALUES | {"key"},
    "camunda:value": _VALUES,
    "camunda:in": frozenset(
        {"source", "sourceExpression", "target", "variables", "businessKey"}
    ),
    "camunda:out": frozenset({"source", "sourceExpression", "target", "variables"}),
    "camunda:properties": frozenset({"property"}),
    "camunda:property": frozenset({"value"}),
    "camunda:failedJobRetryTimeCycle": frozenset(),
}
"""What may stand inside an honoured extension element, as attribute or child."""

INNER_REASONS = {
    "script": "inline scripts as values are not executed; use an expression like ${a}",
    "local": "camunda:{owner} with 'local' is not honoured",
}
