"""What an event waits for or throws."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from mpms.domain.models.definitions import Problem
from mpms.engine.model import EventTrigger
from mpms.engine.reading.declared import Declared, Named
from mpms.engine.reading.names import (
    attribute,
    camunda,
    child_expression,
    children,
    expression_text,
    is_true,
    referred,
    tag_of,
    text_of,
)

_ENDING = "EventDefinition"
_BY_REFERENCE = frozenset({"message", "signal", "error", "escalation"})
_TIMERS = {"timeDate": "date", "timeDuration": "duration", "timeCycle": "cycle"}


def read_triggers(
    node: etree._Element,
    declared: Declared,
    correlation: str | None,
    asker: Problem,
    problems: list[Problem],
) -> tuple[EventTrigger, ...]:
    return tuple(
        _trigger(definition, declared, correlation, asker, problems)
        for definition in _definitions(node, declared, asker, problems)
    )


def _definitions(
    node: etree._Element, declared: Declared, asker: Problem, problems: list[Problem]
) -> Iterator[etree._Element]:
    for part in children(node):
        _, tag = tag_of(part)
        if tag.endswith(_ENDING):
            yield part
        elif tag == f"{_ENDING[0].lower()}{_ENDING[1:]}Ref":
            found = declared.event_definitions.get(referred(text_of(part)) or "")
            if found is not None:
                yield found
            else:
                reason = (
                    f"refers to the event definition '{text_of(part)}', which the "
                    "file does not declare"
                )
                problems.append(Problem(asker.element, asker.name, reason))


def _trigger(
    node: etree._Element,
    declared: Declared,
    correlation: str | None,
    asker: Problem,
    problems: list[Problem],
) -> EventTrigger:
    kind = tag_of(node)[1].removesuffix(_ENDING)
    named = Named()
    if kind in _BY_REFERENCE:
        named = declared.find(kind, node, asker, problems)
    elif kind == "link":
        named = Named(node.get("name") or "")
    timer, text = _timer(node) if kind == "timer" else ("", "")
    if kind == "conditional":
        text = child_expression(node, "condition") or ""
    return EventTrigger(
        kind=kind,
        name=named.name,
        code=named.code,
        timer=timer,
        text=text,
        correlation=(correlation or named.correlation) if kind == "message" else None,
        error_message=named.message,
        error_code_variable=camunda(node, "errorCodeVariable"),
        error_message_variable=camunda(node, "errorMessageVariable"),
        escalation_code_variable=camunda(node, "escalationCodeVariable"),
        variable_name=camunda(node, "variableName"),
        variable_events=_variable_events(node),
        activity=referred(attribute(node, "activityRef")),
        wait_for_completion=is_true(node, "waitForCompletion", otherwise=True),
    )


def _variable_events(node: etree._Element) -> tuple[str, ...]:
    words = (camunda(node, "variableEvents") or "").split(",")
    return tuple(word.strip() for word in words if word.strip())


def _timer(node: etree._Element) -> tuple[str, str]:
    for part in children(node):
        _, tag = tag_of(part)
        if tag in _TIMERS:
            return _TIMERS[tag], expression_text(part)
    return "", ""
