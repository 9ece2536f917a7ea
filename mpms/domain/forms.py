"""Answers against a form: Camunda Forms JSON as the rule, plain sentences as errors.

What the form does not ask for is dropped, so that nobody can write a process
variable through a form that does not show it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from mpms.domain.errors import FormInvalid

INPUT_TYPES = frozenset(
    {
        "textfield",
        "textarea",
        "number",
        "checkbox",
        "radio",
        "select",
        "checklist",
        "taglist",
        "datetime",
    }
)


def fields(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All fields that take an answer, groups opened."""
    pending = list(schema.get("components", []))
    while pending:
        component = pending.pop(0)
        if component.get("type") in ("group", "dynamiclist"):
            pending = list(component.get("components", [])) + pending
        elif (
            component.get("type") in INPUT_TYPES
            and component.get("key")
            and not component.get("disabled")
            and not component.get("readonly")
        ):
            yield component


def check_answers(schema: dict[str, Any], answers: dict[str, Any]) -> dict[str, Any]:
    """Return the answers the form asks for. FormInvalid names every wrong field."""
    problems: list[str] = []
    accepted: dict[str, Any] = {}
    for field in fields(schema):
        key, label = field["key"], field.get("label") or field["key"]
        value = answers.get(key)
        empty = value is None or value == "" or value == []
        if field["type"] == "checkbox":
            empty = value is not True
            value = bool(value) if isinstance(value, bool) or value is None else value
        rules = field.get("validate") or {}
        if empty and rules.get("required"):
            problems.append(f"{label}: please fill this in.")
            continue
        if value is None:
            continue
        problem = None if empty else _problem(field, rules, value)
        if problem:
            problems.append(f"{label}: {problem}")
        else:
            accepted[key] = value
    if problems:
        raise FormInvalid(" ".join(problems))
    return accepted


def _problem(field: dict[str, Any], rules: dict[str, Any], value: Any) -> str | None:
    kind = field["type"]
    if kind == "checkbox" and not isinstance(value, bool):
        return "must be yes or no."
    if kind == "number":
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not math.isfinite(value):
            return "must be a number."
        if "min" in rules and value < float(rules["min"]):
            return f"must be at least {rules['min']}."
        if "max" in rules and value > float(rules["max"]):
            return f"must be at most {rules['max']}."
    if kind in ("radio", "select") and "values" in field:
        choices = [choice.get("value") for choice in field["values"]]
        return None if value in choices else "is not one of the choices."
    if kind in ("textfield", "textarea"):
        if not isinstance(value, str):
            return "must be text."
        if "maxLength" in rules and len(value) > int(rules["maxLength"]):
            return f"must be at most {rules['maxLength']} characters."
        if "minLength" in rules and len(value) < int(rules["minLength"]):
            return f"must be at least {rules['minLength']} characters."
    return None
