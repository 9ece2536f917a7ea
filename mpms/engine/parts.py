"""A model taken apart for people: every step and flow with all that it says.

The names of the facts are those of the records, so that whatever the engine honours
is compared; references are resolved, so that a renamed message is seen where it is
used. Empty facts are not told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from lxml import etree

from mpms.domain.models.difference import ModelPart, Place
from mpms.engine.model import Element, EventTrigger, Flow, Loop, Process, Settings
from mpms.engine.reading import read_model
from mpms.engine.reading.names import child_text, tag_of
from mpms.engine.reading.safe_xml import parse_safely

_TOLD_ELSEWHERE = frozenset(
    {"id", "name", "tag", "incoming", "outgoing", "triggers", "loop", "settings"}
)
_USUAL = frozenset(
    (record, field.name, repr(field.default))
    for record in (Element, EventTrigger, Loop, Settings)
    for field in fields(record)
)


def parts(xml: bytes, key: str) -> list[ModelPart]:
    """The process and everything in it, in file order. ModelRefused."""
    root = parse_safely(xml)
    places, notes = _places(root), _documentation(root)
    found: list[ModelPart] = []
    for process in read_model(xml).processes:
        if process.id != key:
            continue
        found.append(_process(process, notes))
        for element in process.elements.values():
            facts = dict(_facts_of(element))
            if note := notes.get(element.id):
                facts["documentation"] = note
            place = places.get(element.id)
            found.append(ModelPart(element.id, element.name, element.tag, facts, place))
        found += [_flow(flow, places) for flow in process.flows.values()]
    return found


def _process(process: Process, notes: dict[str, str]) -> ModelPart:
    facts = {"lanes": ", ".join(process.lanes), "documentation": notes.get(process.id)}
    said = {fact: value for fact, value in facts.items() if value}
    return ModelPart(process.id, process.name, "process", said)


def _flow(flow: Flow, places: dict[str, Place]) -> ModelPart:
    facts = {"source": flow.source, "target": flow.target}
    if flow.condition is not None:
        facts["condition"] = flow.condition
    return ModelPart(flow.id, flow.name, "sequenceFlow", facts, places.get(flow.id))


def _facts_of(element: Element) -> Iterator[tuple[str, str]]:
    yield from _told(element, _TOLD_ELSEWHERE)
    for number, trigger in enumerate(element.triggers):
        prefix = "event" if number == 0 else f"event {number + 1}"
        for fact, value in _told(trigger):
            yield (prefix if fact == "kind" else f"{prefix} {fact}"), value
    if element.loop is not None:
        for fact, value in _told(element.loop):
            yield ("loop" if fact == "kind" else f"loop {fact}"), value
    yield from _told(element.settings, frozenset({"inputs", "outputs"}))
    for side in ("input", "output"):
        for mapping in getattr(element.settings, f"{side}s"):
            target = ".".join((mapping.target, *mapping.path))
            yield f"{side} {target}", _text(mapping.value)


def _told(
    record: Element | EventTrigger | Loop | Settings,
    elsewhere: frozenset[str] = frozenset(),
) -> Iterator[tuple[str, str]]:
    for field in fields(record):
        value = getattr(record, field.name)
        usual = (type(record), field.name, repr(value)) in _USUAL
        if field.name not in elsewhere and not usual and value is not None:
            yield field.name.replace("_", " "), _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        told = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: _plain(one) for name, one in told.items() if one}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    return value


def _documentation(root: etree._Element) -> dict[str, str]:
    return {
        id_: text
        for node in root.iter()
        if tag_of(node)[0] == "bpmn"
        and (id_ := node.get("id"))
        and (text := child_text(node, "documentation"))
    }


def _places(root: etree._Element) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for node in root.iter():
        dialect, word = tag_of(node)
        if dialect == "diagram" and word in ("BPMNShape", "BPMNEdge"):
            element = (node.get("bpmnElement") or "").rpartition(":")[2]
            found[element] = tuple(_numbers(node))
    return found


def _numbers(drawn: etree._Element) -> Iterator[float]:
    for node in drawn:
        if tag_of(node)[1] in ("Bounds", "waypoint"):
            for word in ("x", "y", "width", "height"):
                if (text := node.get(word)) is not None:
                    yield _number(text)


def _number(text: str) -> float:
    try:
        return round(float(text), 1)
    except ValueError:
        return 0.0
