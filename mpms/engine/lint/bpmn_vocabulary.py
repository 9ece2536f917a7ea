"""BPMN's own attributes and child elements: which change the execution, and how."""

from __future__ import annotations

from mpms.engine.lint.meanings import HARMLESS, Word, each, only, refused
from mpms.engine.model import ACTIVITY_TAGS
from mpms.engine.reading.names import FEEL_LANGUAGE
from mpms.engine.reading.tags import CLOSED_TAGS, CONTAINER_TAGS, EVENT_TAGS, NODE_TAGS

_YES_OR_NO = only("true|false|1|0", "'{value}' is neither true nor false")
_NO = "false|0"
_LOOPS = frozenset({"multiInstanceLoopCharacteristics", "standardLoopCharacteristics"})
_NOT_HERE = "this element is not part of a process, so it would never be executed"

ATTRIBUTES: dict[str, Word] = {
    **each(
        "activityRef attachedToRef calledElement categoryValueRef dataObjectRef "
        "dataStoreRef default definition definitionalCollaborationRef errorCode "
        "errorRef escalationCode escalationRef evaluatesToTypeRef exporter "
        "exporterVersion expressionLanguage gatewayDirection implementation "
        "isClosed isCollection isImmediate itemRef itemSubjectRef messageRef "
        "operationRef processType scriptFormat signalRef sourceRef structureRef "
        "targetNamespace targetRef textFormat typeLanguage waitForCompletion "
        "method ordering cancelRemainingInstances noneBehaviorEventRef "
        "oneBehaviorEventRef optional whileExecutingInputRefs schemaLocation",
        HARMLESS,
    ),
    **each(
        "cancelActivity isExecutable isInterrupting isSequential testBefore",
        _YES_OR_NO,
    ),
    "behavior": only("All", "multi-instance behaviour '{value}' is not executed"),
    "completionQuantity": only("1", "a completion quantity of {value} is not executed"),
    "eventGatewayType": only("Exclusive", "a parallel event gateway is not executed"),
    "instantiate": only(_NO, "starting a process from within its flow is not executed"),
    "isForCompensation": _YES_OR_NO,
    "language": only(
        f"|(?i:juel|mpms|{FEEL_LANGUAGE.pattern})",
        "expressions in the language '{value}' are not executed; write ${a > 1}, or "
        "FEEL like =a > 1",
    ),
    "loopMaximum": only("[0-9]{1,9}", "'{value}' is no number of turns"),
    "mustUnderstand": only(_NO, "an extension that must be understood is not known"),
    "parallelMultiple": _YES_OR_NO,
    "startQuantity": only("1", "a start quantity of {value} is not executed"),
    "triggeredByEvent": _YES_OR_NO,
}

_GLOBAL = (
    "globalTask globalUserTask globalManualTask globalScriptTask "
    "globalBusinessRuleTask choreography globalChoreographyTask choreographyTask "
    "subChoreography callChoreography globalConversation conversation"
)
_EVENT_DEFINITIONS = (
    "cancelEventDefinition compensateEventDefinition conditionalEventDefinition "
    "errorEventDefinition escalationEventDefinition linkEventDefinition "
    "messageEventDefinition signalEventDefinition terminateEventDefinition "
    "timerEventDefinition"
)
_WHO = (
    "who does a task is read from camunda:assignee, camunda:candidateGroups and "
    "camunda:candidateUsers only"
)

CHILDREN: dict[str, Word] = {
    **dict.fromkeys(CLOSED_TAGS, HARMLESS),
    **dict.fromkeys(NODE_TAGS, Word(on=CONTAINER_TAGS, reason=_NOT_HERE)),
    **dict.fromkeys(
        ("laneSet", "sequenceFlow"), Word(on=CONTAINER_TAGS, reason=_NOT_HERE)
    ),
    "process": Word(on=frozenset({"definitions"}), reason=_NOT_HERE),
    **each(
        _EVENT_DEFINITIONS,
        Word(on=EVENT_TAGS | {"definitions"}, reason="no event holds this trigger"),
    ),
    **each(
        "artifact categoryValueRef condition dataInput dataInputAssociation "
        "dataInputRefs "
        "dataOutput dataOutputAssociation dataOutputRefs dataState error "
        "escalation eventDefinitionRef extension formalExpression from incoming "
        "inputSet inputSetRefs ioSpecification message optionalInputRefs "
        "optionalOutputRefs outgoing outputSet outputSetRefs property rendering "
        "resourceAssignmentExpression resourceParameterBinding resourceRef signal "
        "source sourceRef supportedInterfaceRef supports target targetRef to "
        "whileExecutingInputRefs whileExecutingOutputRefs operationRef "
        "activityRef linkTarget messagePath messageRef dataPath expression",
        HARMLESS,
    ),
    **dict.fromkeys(
        ("timeDate", "timeDuration", "timeCycle"),
        Word(on=frozenset({"timerEventDefinition"}), reason="no timer holds this time"),
    ),
    **dict.fromkeys(
        _LOOPS, Word(on=ACTIVITY_TAGS, reason="only activities can be repeated")
    ),
    **each(
        "inputDataItem loopCardinality loopCondition "
        "loopDataInputRef loopDataOutputRef outputDataItem",
        Word(on=_LOOPS, reason="this part of a loop stands outside a loop"),
    ),
    "completionCondition": Word(
        on=_LOOPS | {"adHocSubProcess"},
        reason="only loops and ad-hoc subprocesses have a completion condition",
    ),
    "conditionExpression": Word(
        on=frozenset({"sequenceFlow"}), reason="only a sequence flow has a condition"
    ),
    "script": Word(
        on=frozenset({"scriptTask"}), reason="only a script task has a script"
    ),
    "activationCondition": Word(
        on=frozenset({"complexGateway"}),
        reason="only a complex gateway has an activation condition",
    ),
    "assignment": refused("data assignments are not executed; use camunda:inputOutput"),
    "transformation": refused(
        "data transformations are not executed; use camunda:inputOutput"
    ),
    "complexBehaviorDefinition": refused("complex multi-instance is not executed"),
    "correlationSubscription": refused(
        "correlation subscriptions are not executed; give the event a "
        "camunda:property named correlationKey"
    ),
    "ioBinding": refused("bindings to operations are not executed"),
    **each("resourceRole performer humanPerformer potentialOwner", refused(_WHO)),
    **each(_GLOBAL, refused("elements of the kind '{word}' are not executed")),
}

SINGLE = {
    **dict.fromkeys(_LOOPS, "loop"),
    **dict.fromkeys(("timeDate", "timeDuration", "timeCycle"), "time"),
    "conditionExpression": "condition",
    "script": "script",
    "loopCardinality": "number of turns",
    "completionCondition": "completion condition",
    "loopCondition": "loop condition",
}
"""Children that may stand once in their parent; two of them contradict each other."""
