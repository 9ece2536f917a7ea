"""Forms that stand inside a model: they become forms of their own at deployment.

Camunda 7 lists the fields of a generated form, Camunda 8 keeps the JSON of its editor,
and an ad-hoc subprocess asks which activity comes next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from mpms.domain.models.definitions import Problem
from mpms.engine.model import ACTIVITY_TAGS
from mpms.engine.reading.names import (
    BPMN,
    ZEEBE,
    attribute,
    children,
    extensions,
    shown_name,
    tag_of,
)

_INSIDE = "camunda-forms:bpmn:"
NEXT, NOTHING_MORE = "next", "nothing_more"

Schema = dict[str, Any]


class InnerForm(NamedTuple):
    """The form of an element, as the JSON of a form file."""

    element: str
    schema: Schema


FIELD_TYPES: dict[str, Schema] = {
    "string": {"type": "textfield"},
    "long": {"type": "number", "decimalDigits": 0},
    "integer": {"type": "number", "decimalDigits": 0},
    "int": {"type": "number", "decimalDigits": 0},
    "double": {"type": "number"},
    "boolean": {"type": "checkbox"},
    "date": {"type": "datetime", "subtype": "date"},
    "enum": {"type": "select"},
}
CONSTRAINTS = {
    "required": "required",
    "readonly": "readonly",
    "min": "min",
    "max": "max",
    "minlength": "minLength",
    "maxlength": "maxLength",
}
_WHOLE = re.compile(r"-?[0-9]{1,15}")


def own_form_id(node: etree._Element) -> str:
    """The id of the form that an element has of its own."""
    return f"{_process(node)}-{attribute(node, 'id') or ''}"


def embedded_form_id(node: etree._Element, key: str | None) -> str | None:
    """The id of a form of Camunda 8 inside the model, if the key leads to one."""
    if key is None or not key.startswith(_INSIDE):
        return key
    return f"{_process(node)}-{key.removeprefix(_INSIDE)}"


def _process(node: etree._Element) -> str:
    at: etree._Element | None = node
    while at is not None and tag_of(at)[1] != "process":
        at = at.getparent()
    return "" if at is None else attribute(at, "id") or ""


def form_fields(node: etree._Element) -> list[etree._Element]:
    """The fields of a form that Camunda 7 would generate."""
    return [
        field
        for part in extensions(node)
        if tag_of(part)[1] == "formData"
        for field in children(part, "camunda")
        if tag_of(field)[1] == "formField"
    ]


def inner_forms(root: etree._Element) -> Iterator[InnerForm]:
    """Every form inside a model."""
    for node in root.iter(f"{{{BPMN}}}*", f"{{{ZEEBE}}}*"):
        dialect, tag = tag_of(node)
        element = attribute(node, "id") or ""
        if (dialect, tag) == ("bpmn", "adHocSubProcess"):
            yield InnerForm(element, _choice(node))
        elif dialect == "bpmn" and (fields := form_fields(node)):
            components = [_field(field) for field in fields]
            whole = {"id": own_form_id(node), "type": "default"}
            yield InnerForm(element, {**whole, "components": components})
        elif (dialect, tag) == ("zeebe", "userTaskForm"):
            yield InnerForm(element, _embedded(node))


def lost_forms(root: etree._Element) -> Iterator[Problem]:
    """Elements whose form should be inside the model and is not."""
    ids = {attribute(node, "id") for node in root.iter(f"{{{ZEEBE}}}userTaskForm")}
    for node in root.iter(f"{{{ZEEBE}}}formDefinition"):
        key = attribute(node, "formKey") or ""
        if not key.startswith(_INSIDE):
            continue
        if key.removeprefix(_INSIDE) not in ids:
            holder = list(node.iterancestors())[1]
            reason = f"the form '{key}' is not inside the model; link a form file"
            yield Problem(attribute(holder, "id") or "", shown_name(holder), reason)


def _embedded(node: etree._Element) -> Schema:
    key = f"{_INSIDE}{attribute(node, 'id') or ''}"
    try:
        schema = json.loads(node.text or "")
    except (ValueError, RecursionError):
        schema = None
    if not isinstance(schema, dict):
        schema = {"components": None}
    return {**schema, "id": embedded_form_id(node, key)}


def _field(field: etree._Element) -> Schema:
    key = attribute(field, "id") or ""
    kind = attribute(field, "type") or "string"
    made: Schema = {
        "id": key,
        "key": key,
        "label": attribute(field, "label") or key,
        **FIELD_TYPES.get(kind, {"type": kind}),
    }
    rules: Schema = {}
    for part in children(field, "camunda"):
        _, word = tag_of(part)
        if word == "validation":
            for rule in children(part, "camunda"):
                name = attribute(rule, "name") or ""
                rules[CONSTRAINTS.get(name, name)] = _setting(rule.get("config"))
        elif word == "value":
            value = attribute(part, "id") or ""
            label = attribute(part, "name") or value
            made.setdefault("values", []).append({"label": label, "value": value})
    if rules.pop("readonly", False):
        made["readonly"] = True
    if rules:
        made["validate"] = rules
    default = attribute(field, "defaultValue")
    if default is not None:
        made["defaultValue"] = _typed(default, kind)
    return made


def _setting(text: str | None) -> Any:
    if not text or text == "true":
        return True
    if text == "false":
        return False
    return int(text) if _WHOLE.fullmatch(text) else text


def _typed(text: str, kind: str) -> Any:
    if kind == "boolean":
        return text == "true"
    if kind in ("long", "integer", "int") and _WHOLE.fullmatch(text):
        return int(text)
    return text


def _choice(node: etree._Element) -> Schema:
    targets = {flow.get("targetRef") for flow in children(node) if _is_flow(flow)}
    values = [
        {"label": shown_name(part) or id_, "value": id_}
        for part in children(node)
        if (id_ := attribute(part, "id")) and id_ not in targets and _is_activity(part)
    ]
    last = {"label": "Nothing more", "value": NOTHING_MORE}
    return {
        "id": own_form_id(node),
        "type": "default",
        "components": [
            {
                "id": NEXT,
                "key": NEXT,
                "type": "radio",
                "label": "What is done next?",
                "values": [*values, last],
                "validate": {"required": True},
            }
        ],
    }


def _is_flow(node: etree._Element) -> bool:
    return tag_of(node)[1] == "sequenceFlow"


def _is_activity(node: etree._Element) -> bool:
    return tag_of(node)[1] in ACTIVITY_TAGS and node.get("triggeredByEvent") != "true"
