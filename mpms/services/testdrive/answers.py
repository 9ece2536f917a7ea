"""What a person would fill in, where the history holds no answer to take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

TYPED = "test-drive"


def made_up_answer(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """A default of the form, else the first choice, else something that fits."""
    if schema is None:
        return {}
    return {
        str(field["key"]): _value(field)
        for field in _fields(schema)
        if field.get("key")
    }


def _fields(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for component in part.get("components") or ():
        if component.get("components"):
            yield from _fields(component)
        else:
            yield component


def _value(field: Mapping[str, Any]) -> Any:
    if field.get("defaultValue") is not None:
        return field["defaultValue"]
    kind, rules = field.get("type"), field.get("validate") or {}
    choices = field.get("values") or ()
    first = choices[0].get("value") if choices else None
    match kind:
        case "checkbox" | "switch":
            return True
        case "number" | "weigh":
            return rules.get("min", 1) if rules.get("required") else None
        case "select" | "radio":
            return first
        case "checklist" | "taglist":
            return [] if first is None else [first]
        case "textfield" | "textarea" | "scan":
            return TYPED if rules.get("required") else ""
    return None
