"""Variables as Camunda 7 writes them: a value, its type and what must be known of it.

Our variables are JSON and have no other types. So a date comes in as text in one fixed
form, and text of just that form goes out as a date again; bytes and files are objects
with a mark. What a type cannot hold, or we cannot keep, is refused with a sentence.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mpms.web.engine_rest.errors import RequestInvalid
from mpms.web.engine_rest.value_types import MARK, READERS, Unfit, about, fits

OUR_DATE = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})([+-]\d\d):(\d\d)", re.ASCII
)


def read_all(
    given: Mapping[str, Any] | None, what: str = "variables"
) -> dict[str, Any]:
    """Typed values by name as our variables. RequestInvalid."""
    found = {}
    for name, typed in (given or {}).items():
        if not isinstance(typed, Mapping):
            raise RequestInvalid(
                f"The variable '{name}' in '{what}' is not written as"
                ' {"value": …, "type": …}.'
            )
        found[name] = read(name, typed)
    return found


def read(name: str, typed: Mapping[str, Any]) -> Any:
    """One typed value as ours. RequestInvalid."""
    value, kind = typed.get("value"), typed.get("type")
    if kind is None:
        return value
    reader = READERS.get(str(kind).lower())
    if reader is None:
        known = ", ".join(one.title() for one in READERS)
        raise RequestInvalid(
            f"The variable '{name}' has the type '{kind}', which cannot be kept here;"
            f" these can: {known}."
        )
    if value is None and str(kind).lower() != "file":
        return None
    info = typed.get("valueInfo")
    try:
        return reader(value, info if isinstance(info, Mapping) else {})
    except Unfit as unfit:
        raise RequestInvalid(
            f"The variable '{name}' is no {kind}: {unfit or 'its value is another'}."
        ) from unfit


def write_all(variables: Mapping[str, Any]) -> dict[str, Any]:
    return {name: write(value) for name, value in variables.items()}


def write(value: Any) -> dict[str, Any]:
    """One of our variables as a typed value."""
    info: dict[str, Any] = {}
    match value:
        case None:
            kind = "Null"
        case bool():
            kind = "Boolean"
        case int() if fits(value, 32):
            kind = "Integer"
        case int() if fits(value, 64):
            kind = "Long"
        case float():
            kind = "Double"
        case str():
            date = OUR_DATE.fullmatch(value)
            kind = "String" if date is None else "Date"
            value = value if date is None else "".join(date.groups())
        case {"camunda:type": "Bytes", "content": str(content)}:
            kind, value = "Bytes", content
        case {"camunda:type": "File", "content": str()}:
            kind, info = "File", about(value)
            value = None  # fetched by its own address
        case _:
            kind, value = "Json", json.dumps(value, ensure_ascii=False)
    return {"value": value, "type": kind, "valueInfo": info}


def content_of(value: Any) -> tuple[bytes, str] | None:
    """The bytes of a file or of bytes, and their media type; None of other values."""
    if not isinstance(value, dict) or value.get(MARK) not in ("Bytes", "File"):
        return None
    try:
        content = base64.b64decode(value.get("content") or "", validate=True)
    except (binascii.Error, TypeError, ValueError):
        return None
    return content, value.get("mimeType") or "application/octet-stream"


def date_text(at: datetime | None) -> str | None:
    """An instant as Camunda 7 writes it."""
    if at is None:
        return None
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}{at:%z}"[:28]
