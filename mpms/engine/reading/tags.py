"""The BPMN tags that make up a drawing, as the reader sorts them."""

from __future__ import annotations

from mpms.engine.model import ACTIVITY_TAGS, SUBPROCESS_TAGS

EVENT_TAGS = frozenset(
    {
        "startEvent",
        "endEvent",
        "intermediateThrowEvent",
        "intermediateCatchEvent",
        "boundaryEvent",
    }
)
GATEWAY_TAGS = frozenset(
    {
        "exclusiveGateway",
        "parallelGateway",
        "inclusiveGateway",
        "eventBasedGateway",
        "complexGateway",
    }
)
NODE_TAGS = EVENT_TAGS | GATEWAY_TAGS | ACTIVITY_TAGS
CONTAINER_TAGS = SUBPROCESS_TAGS | {"process"}

SHOWN_TAGS = NODE_TAGS | {
    "process",
    "sequenceFlow",
    "lane",
    "participant",
    "message",
    "signal",
    "error",
    "escalation",
    "dataObjectReference",
    "dataStoreReference",
    "textAnnotation",
}

CLOSED_TAGS = frozenset(
    {
        "documentation",
        "text",
        "BPMNDiagram",
        "collaboration",
        "category",
        "resource",
        "interface",
        "itemDefinition",
        "dataStore",
        "dataObject",
        "dataObjectReference",
        "dataStoreReference",
        "partnerEntity",
        "partnerRole",
        "correlationProperty",
        "endPoint",
        "import",
        "relationship",
        "association",
        "textAnnotation",
        "group",
        "auditing",
        "monitoring",
        "laneSet",
    }
)
