"""A form as a file: any bytes, checked before they are deployed."""

from __future__ import annotations

import json
from typing import Any

from mpms.domain.forms.reading import check_schema
from mpms.domain.models.definitions import Problem
from mpms.domain.numbers import finite


def check_form(content: bytes) -> list[Problem]:
    """Why a form cannot be used; an empty list means it can."""
    try:
        schema: Any = json.loads(content, parse_float=finite)
    except (ValueError, RecursionError) as failure:
        return [Problem("", "", f"this is not JSON: {failure}")]
    if not isinstance(schema, dict) or not isinstance(schema.get("id"), str):
        return [Problem("", "", "a form is a JSON object with an id")]
    if not isinstance(schema.get("components"), list):
        return [Problem(schema["id"], "", "a form needs a list of components")]
    return check_schema(schema)
