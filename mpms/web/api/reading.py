"""What a request says, checked against what its operation asks for.

JSON that readers understand differently is refused: a key that stands twice, NaN,
numbers beyond 64 bits. So is text that no database keeps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, get_origin

from flask import request
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from werkzeug.exceptions import BadRequest, NotFound, UnsupportedMediaType

from mpms.domain.errors import MpmsError
from mpms.web.api.operation import Operation

DEEPEST = 60
LARGEST_INTEGER = 1 << 63
JSON_ERROR = "The body is no JSON that can be read: {cause}."


class RequestInvalid(MpmsError):
    """Something in the request has the wrong form; nothing was done."""

    def __init__(self, where: str, errors: Iterable[ErrorDetails]) -> None:
        self.errors = [
            {"in": where, "at": ".".join(map(str, e["loc"])), "reason": e["msg"]}
            for e in errors
        ]
        told = "; ".join(
            f"{one['at'] or where}: {one['reason']}" for one in self.errors[:5]
        )
        super().__init__(told + ".")


def read_path(operation: Operation, raw: Mapping[str, str]) -> dict[str, Any]:
    """The parts of the path; what cannot be the name of anything is not found."""
    found = {}
    for name, adapter in operation.in_path.items():
        text = raw[name]
        if not keepable(text):
            raise NotFound
        try:
            found[name] = adapter.validate_strings(text)
        except ValidationError as wrong:
            reason = wrong.errors()[0]["msg"]
            raise NotFound(f"There is nothing here: {name}: {reason}.") from None
    return found


def read_query(model: type[BaseModel]) -> BaseModel:
    """RequestInvalid."""
    given: dict[str, Any] = {}
    for name in request.args:
        values = request.args.getlist(name)
        given[name] = values if _is_list(model, name) else values[-1]
        if not all(map(keepable, values)):
            raise _invalid("query", name, "has characters that cannot be kept")
    try:
        return model.model_validate(given)
    except ValidationError as wrong:
        raise RequestInvalid("query", wrong.errors()) from None


def read_body(model: type[BaseModel]) -> BaseModel:
    """BadRequest, UnsupportedMediaType, RequestInvalid."""
    raw = request.get_data()
    if raw and not request.is_json:
        raise UnsupportedMediaType("Send the body as application/json.")
    text = raw or b"{}"
    try:
        checked_json(text)
    except ValueError as wrong:
        raise BadRequest(JSON_ERROR.format(cause=str(wrong).rstrip("."))) from None
    try:
        return TypeAdapter(model).validate_json(text, strict=True)
    except ValidationError as wrong:
        raise RequestInvalid("body", wrong.errors()) from None


def checked_json(text: bytes | str) -> Any:
    """JSON that every reader understands alike and that can be kept. ValueError."""
    try:
        found = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _check(found)
    return found


def keepable(text: str) -> bool:
    """No database stores a NUL, and half a surrogate pair is no character."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def _is_list(model: type[BaseModel], name: str) -> bool:
    field = model.model_fields.get(name)
    return field is not None and get_origin(field.annotation) in (list, tuple)


def _invalid(where: str, at: str, reason: str) -> RequestInvalid:
    return RequestInvalid(
        where, [ErrorDetails(type="value_error", loc=(at,), msg=reason, input=None)]
    )


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _check(value: Any) -> None:
    """Look at every part without recursion."""
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        if isinstance(part, str) and not keepable(part):
            raise ValueError("a text has characters that cannot be kept")
        if isinstance(part, int) and not -LARGEST_INTEGER <= part < LARGEST_INTEGER:
            raise ValueError("a number is too large")
        if isinstance(part, float) and not math.isfinite(part):
            raise ValueError("a number is too large")
        if isinstance(part, dict):
            waiting += [(key, depth + 1) for key in part]
            waiting += [(each, depth + 1) for each in part.values()]
        elif isinstance(part, list):
            waiting += [(each, depth + 1) for each in part]
