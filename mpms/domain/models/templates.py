"""Element templates in the JSON format of Camunda Modeler, as files say them.

A template gives a step its settings under words of the plant. Which settings it fills
is said by bindings; one that we cannot fill is refused by name, so that nobody fills in
a field that means nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mpms.domain.models.definitions import Problem

Template = dict[str, Any]
MAX_BYTES = 1_000_000
TYPES = frozenset({"String", "Text", "Boolean", "Dropdown", "Hidden", "Number"})
PROPERTY = "property"
ATTRIBUTES_OF = (
    *("taskDefinition", "calledElement", "calledDecision", "formDefinition", "script"),
    *("assignmentDefinition", "taskSchedule", "priorityDefinition"),
)
"""Elements of Camunda 8 of which a binding names an attribute."""
BINDINGS: dict[str, tuple[str, ...]] = {
    "property": ("name",),
    "camunda:property": ("name",),
    "camunda:inputParameter": ("name",),
    "camunda:outputParameter": ("source",),
    "camunda:in": (),
    "camunda:in:businessKey": (),
    "camunda:out": (),
    "camunda:executionListener": ("event", "scriptFormat"),
    "zeebe:input": ("name",),
    "zeebe:output": ("source",),
    "zeebe:taskHeader": ("key",),
    "zeebe:property": ("name",),
    "zeebe:taskDefinition:type": (),
    "zeebe:userTask": (),
    **{f"zeebe:{name}": (PROPERTY,) for name in ATTRIBUTES_OF},
}
"""What can be filled, and what each binding must say."""


def read_templates(content: bytes) -> list[Template]:
    """The templates of a file that was checked; a file holds one or a list."""
    found = json.loads(content)
    return found if isinstance(found, list) else [found]


def version_of(template: Template) -> int:
    return int(template.get("version") or 0)


def check_templates(content: bytes) -> list[Problem]:
    """Why a file would be refused."""
    if len(content) > MAX_BYTES:
        return [Problem("", "", f"the file has more than {MAX_BYTES} bytes")]
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as failure:
        return [Problem("", "", f"the file is not readable JSON: {failure}")]
    every = found if isinstance(found, list) else [found]
    if not every:
        return [Problem("", "", "the file holds no element template")]
    problems: list[Problem] = []
    seen: set[tuple[str, int]] = set()
    for template in every:
        if not isinstance(template, dict) or not _is_text(template.get("id")):
            why = "an element template is an object with id, name and appliesTo"
            problems.append(Problem("", "", why))
            continue
        id_, name = template["id"], str(template.get("name") or "")
        told = list(_faults(template))
        if not told:
            place = (id_, version_of(template))
            told = ["this id and version are there twice"] if place in seen else []
            seen.add(place)
        problems += [Problem(id_, name, why) for why in told]
    return problems


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _faults(template: Template) -> Iterator[str]:
    if not _is_text(template.get("name")):
        yield "the template has no name"
    applies = template.get("appliesTo")
    if not isinstance(applies, list) or not applies or not all(map(_is_text, applies)):
        yield "appliesTo is a list of kinds of elements, such as bpmn:ServiceTask"
    version = template.get("version", 0)
    if type(version) is not int or not 0 <= version < 1 << 53:
        yield "the version is a whole number"
    if template.get("scopes"):
        yield "scopes (of connectors of Camunda 7) are not filled in here"
    properties = template.get("properties")
    if not isinstance(properties, list):
        yield "properties is a list"
        return
    for number, one in enumerate(properties, 1):
        label = one.get("label") if isinstance(one, dict) else None
        where = f"property {number}" + (f" '{label}'" if _is_text(label) else "")
        why = _fault(one) if isinstance(one, dict) else "is no object"
        if why:
            yield f"{where} {why}"


def _fault(one: dict[str, Any]) -> str:
    if one.get("type", "String") not in TYPES:
        return f"has the type '{one.get('type')}'; there are {', '.join(sorted(TYPES))}"
    binding = one.get("binding")
    if not isinstance(binding, dict):
        return "has no binding"
    kind = str(binding.get("type"))
    needed = BINDINGS.get(kind)
    if needed is None:
        return f"has the binding '{kind}', which is not filled in here"
    for word in needed:
        if not _is_text(binding.get(word)):
            return f"has the binding '{kind}' without its {word}"
    choices = one.get("choices")
    if one.get("type") == "Dropdown" and not (
        isinstance(choices, list)
        and choices
        and all(isinstance(c, dict) and {"name", "value"} <= c.keys() for c in choices)
    ):
        return "is a dropdown without choices, each with name and value"
    rules = one.get("constraints", {})
    if not isinstance(rules, dict):
        return "has constraints that are no object"
    condition = one.get("condition")
    if condition is not None and not isinstance(condition, dict):
        return "has a condition that is no object"
    return ""
