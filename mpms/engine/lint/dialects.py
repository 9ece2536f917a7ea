"""What the words of Camunda mean together: rules that no single word can tell."""

from __future__ import annotations

from collections.abc import Iterator

from mpms.domain.models.definitions import Problem
from mpms.engine.lint.meanings import shown
from mpms.engine.lint.view import View, at
from mpms.engine.model import Element
from mpms.engine.reading.tags import EVENT_TAGS
from mpms.engine.reading.zeebe import INBOUND

_CONNECTORS = ("io.camunda:", "io.camunda.connector")
_CATCHING = frozenset({"intermediateCatchEvent", "boundaryEvent"})
_BRINGING = frozenset({"message", "signal", "timer", "error"})
_THROWING = frozenset({"intermediateThrowEvent", "endEvent"})


def check_dialects(view: View) -> Iterator[Problem]:
    for element in view.accepted():
        yield from (at(element, text) for text in _topic(element))
        yield from (at(element, text) for text in _mappings(element))
        yield from (at(element, text) for text in _script(element))
        if element.loop and element.loop.camunda_8 and not element.loop.collection:
            yield at(element, "zeebe:loopCharacteristics needs an inputCollection")


def _topic(element: Element) -> Iterator[str]:
    topic = element.settings.topic
    inbound = dict(element.settings.properties).get(INBOUND)
    if inbound:
        yield (
            f"the connector '{shown(inbound)}' of Camunda 8 does not exist here; "
            "remove its template and let a message come from outside"
        )
    elif topic and topic.startswith(_CONNECTORS):
        yield (
            f"the connector '{shown(topic)}' of Camunda 8 does not exist here; remove "
            "its template and give the task a topic that has a handler"
        )
    elif topic and element.tag in EVENT_TAGS:
        kinds = [trigger.kind for trigger in element.triggers]
        if element.tag not in _THROWING or kinds != ["message"]:
            yield "only events that throw a message have their work done by a topic"


def _mappings(element: Element) -> Iterator[str]:
    settings = element.settings
    if element.event_subprocess and (settings.inputs or settings.outputs):
        yield "an event subprocess maps no variables; map them in the steps inside"
    kinds = {trigger.kind for trigger in element.triggers}
    if element.tag == "startEvent" and settings.inputs:
        yield "a start event takes no inputs; map them at an activity"
    if element.tag in _CATCHING:
        if settings.inputs:
            yield "an event that waits takes no inputs; map them at an activity"
        if settings.outputs and not kinds & _BRINGING:
            yield "this event brings no variables; map them at an activity"
    if element.tag not in _THROWING or settings.topic:
        return
    if settings.outputs:
        yield "this event has no results to map; map the variables at an activity"
    if settings.inputs and not kinds & {"signal", "message"}:
        yield "this event hands over no variables; map them at an activity"


def _script(element: Element) -> Iterator[str]:
    settings = element.settings
    if element.tag != "scriptTask":
        return
    if settings.expression and not settings.result_variable:
        yield "zeebe:script needs a result variable"
    if settings.expression and not settings.expression.startswith("="):
        yield "the expression of zeebe:script must begin with ="
    if settings.topic and (settings.expression or element.script):
        yield "a script task has either a script or a topic, not both"
