"""Functions that Camunda adds: JSON, base64, identifiers."""

import base64
import json
from typing import Any
from uuid import uuid4

from mpms.domain.numbers import finite

from ...expressions.bounds import MAX_TEXT
from ...expressions.faults import Exceeded
from ..calls import builtin
from ..results import outward
from ..values import Frame, lift


@builtin("to json(value!)")
def to_json(frame: Frame, value: Any) -> str:
    text = json.dumps(outward(value, frame), ensure_ascii=False, separators=(",", ":"))
    frame.spend_on_text(len(text))
    return text


@builtin("from json(value: string)")
def from_json(frame: Frame, value: str) -> Any:
    """Null for a text that is no JSON, as other texts that cannot be read."""
    if len(value) > MAX_TEXT:
        raise Exceeded(f"reads a text of more than {MAX_TEXT} characters")
    try:
        found = json.loads(value, parse_constant=_refused, parse_float=finite)
    except (ValueError, RecursionError):
        return None
    return lift(outward(found, frame))


def _refused(word: str) -> Any:
    raise ValueError(word)  # NaN and Infinity are no JSON


@builtin("to base64(value: string)")
def to_base64(frame: Frame, value: str) -> str:
    frame.spend_on_text(len(value) * 2)
    return base64.b64encode(value.encode()).decode()


@builtin("uuid()")
def uuid(frame: Frame) -> str:
    """Another one at each call; a step that is repeated has not happened before."""
    return str(uuid4())
