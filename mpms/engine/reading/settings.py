"""The extension attributes and elements of an element, as ``Settings``.

Camunda 7's are read here; an element that speaks Camunda 8 is read by ``zeebe``. The
lint refuses elements that speak both.
"""

from __future__ import annotations

from collections import defaultdict

from lxml import etree

from mpms.domain.models.definitions import LATEST
from mpms.engine.model import ListenerScript, Mapping, Settings
from mpms.engine.reading.inner_forms import form_fields, own_form_id
from mpms.engine.reading.listeners import TIMEOUT, read_listeners
from mpms.engine.reading.names import (
    attribute,
    camunda,
    camunda_says,
    child,
    children,
    extensions,
    tag_of,
    text_of,
)
from mpms.engine.reading.zeebe import inbound_connector, read_zeebe

SAME_BUSINESS_KEY = "${execution.processBusinessKey}"
"""What the modeller writes for: the called process has the key of its caller."""

_SAME_BUSINESS_KEY = frozenset(
    f"{mark}{{execution.{key}}}"
    for mark in "$#"
    for key in ("processBusinessKey", "businessKey")
)
_TOLD = frozenset({"executionListener", "taskListener"})
_FORM_SCHEMES = ("camunda-forms:", "operaton-forms:")
_DEPLOYED_FORM = ("deployment:", "/")


def read_settings(node: etree._Element, loop: etree._Element | None) -> Settings:
    """``loop`` may carry the retry cycle of a multi-instance activity."""
    if (settings := read_zeebe(node, loop)) is not None:
        return settings
    found: dict[str, list[etree._Element]] = defaultdict(list)
    for holder in (node,) if loop is None else (node, loop):
        for part in extensions(holder):
            found[tag_of(part)[1]].append(part)
    retry_cycles = [text_of(part) for part in found["failedJobRetryTimeCycle"]]
    business_keys = [_business_key(part) for part in found["in"]]
    return Settings(
        form=_form(camunda(node, "formKey"))
        or camunda(node, "formRef")
        or (own_form_id(node) if form_fields(node) else None),
        assignee=camunda(node, "assignee"),
        candidate_groups=comma_list(camunda(node, "candidateGroups")),
        candidate_users=comma_list(camunda(node, "candidateUsers")),
        due_date=camunda(node, "dueDate"),
        follow_up_date=camunda(node, "followUpDate"),
        priority=camunda(node, "priority"),
        job_priority=camunda(node, "taskPriority") or camunda(node, "jobPriority"),
        scripts=own_listeners(node),
        async_before=camunda_says(node, "asyncBefore") or camunda_says(node, "async"),
        async_after=camunda_says(node, "asyncAfter"),
        topic=_topic(node),
        retry_cycle=next(filter(None, retry_cycles), None)
        or camunda(node, "failedJobRetryTimeCycle"),
        inputs=_parameters(found["inputOutput"], "inputParameter"),
        outputs=_parameters(found["inputOutput"], "outputParameter"),
        call_in=_call_mappings(found["in"]),
        call_out=_call_mappings(found["out"]),
        call_in_all=_passes_all(found["in"]),
        call_out_all=_passes_all(found["out"]),
        call_business_key=next(filter(None, business_keys), None),
        binding=_binding(node),
        initiator=camunda(node, "initiator"),
        decision=camunda(node, "decisionRef"),
        result_variable=camunda(node, "resultVariable"),
        decision_result=camunda(node, "mapDecisionResult"),
        properties=(*_properties(found["properties"]), *inbound_connector(node)),
    )


def own_listeners(node: etree._Element) -> tuple[ListenerScript, ...]:
    """What listeners of this element or flow do in the step."""
    return read_listeners(
        part
        for part in extensions(node)
        if tag_of(part)[1] in _TOLD and attribute(part, "event") != TIMEOUT
    )


def _binding(node: etree._Element) -> str:
    """Which version a call or a decision means: latest, deployment, or a number.

    Empty if the binding and the number do not belong together.
    """
    word = "decisionRef" if tag_of(node)[1] == "businessRuleTask" else "calledElement"
    kind = camunda(node, f"{word}Binding") or LATEST
    number = camunda(node, f"{word}Version") or ""
    if kind == "version":
        return number
    return "" if number else kind


def comma_list(text: str | None) -> tuple[str, ...]:
    """Splits at commas, but not at those inside ``${…}``."""
    if "{" not in (text or ""):
        return tuple(part.strip() for part in (text or "").split(",") if part.strip())
    parts, depth, current = [], 0, ""
    for character in text or "":
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth <= 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return tuple(part.strip() for part in [*parts, current] if part.strip())


def _form(key: str | None) -> str | None:
    """The id of a form drawn in the modeller; other keys stay as they are."""
    if key is None or not key.startswith(_FORM_SCHEMES):
        return key
    place = key.partition(":")[2]
    if not place.startswith(_DEPLOYED_FORM):
        return key
    return place.rpartition(":")[2].rpartition("/")[2].removesuffix(".form")


def _topic(node: etree._Element) -> str | None:
    """Of a task, or of the message that an event has sent by a handler."""
    message = child(node, "messageEventDefinition")
    for holder in (node,) if message is None else (node, message):
        if camunda(holder, "type") == "external":
            return camunda(holder, "topic")
    return None


def _parameters(nodes: list[etree._Element], word: str) -> tuple[Mapping, ...]:
    return tuple(
        Mapping(attribute(part, "name") or "", _content(part))
        for node in nodes
        for part in children(node, "camunda")
        if tag_of(part)[1] == word
    )


def _content(node: etree._Element) -> object:
    """The list or map inside a parameter, entry or value; otherwise its text."""
    for part in children(node, "camunda"):
        return _value(part)
    return text_of(node) or None


def _value(node: etree._Element) -> object:
    """Nesting is bounded by the depth of the XML."""
    _, word = tag_of(node)
    if word == "list":
        return [_value(part) for part in children(node, "camunda")]
    if word == "map":
        return {
            attribute(part, "key") or "": _content(part)
            for part in children(node, "camunda")
        }
    return _content(node)


def _properties(nodes: list[etree._Element]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (attribute(part, "name") or attribute(part, "id") or "", part.get("value", ""))
        for node in nodes
        for part in children(node, "camunda")
        if tag_of(part)[1] == "property"
    )


def _passes_all(nodes: list[etree._Element]) -> bool:
    return any(attribute(node, "variables") == "all" for node in nodes)


def _business_key(node: etree._Element) -> str | None:
    key = attribute(node, "businessKey")
    return SAME_BUSINESS_KEY if key in _SAME_BUSINESS_KEY else key


def _call_mappings(nodes: list[etree._Element]) -> tuple[Mapping, ...]:
    return tuple(
        _call_mapping(node)
        for node in nodes
        if not attribute(node, "businessKey") and attribute(node, "variables") != "all"
    )


def _call_mapping(node: etree._Element) -> Mapping:
    target = attribute(node, "target") or ""
    source = attribute(node, "source")
    if source is not None:
        return Mapping(target, f"${{{source}}}", variable=source)
    return Mapping(target, attribute(node, "sourceExpression"))
