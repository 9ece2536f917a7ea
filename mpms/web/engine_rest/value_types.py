"""One function a type of Camunda 7: its value as one of ours, or why it is none."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from mpms.web.api.reading import checked_json

MARK = "camunda:type"  # of an object that is bytes or a file
JSON_FORMAT = "application/json"
BITS = {"short": 16, "integer": 32, "long": 64}


class Unfit(Exception):
    """The value does not fit its type; the words say why."""


def fits(value: int, bits: int) -> bool:
    return bool(-(1 << bits - 1) <= value < 1 << bits - 1)


def _whole(bits: int) -> Callable[[Any, Any], int]:
    def read_whole(value: Any, info: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Unfit("it is not a whole number")
        if not fits(value, bits):
            raise Unfit(f"it has more than {bits} bits")
        return value

    return read_whole


def _double(value: Any, info: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfit("it is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Unfit("it is not finite")
    return number


def _boolean(value: Any, info: Any) -> bool:
    if not isinstance(value, bool):
        raise Unfit("it is neither true nor false")
    return value


def _string(value: Any, info: Any) -> str:
    if not isinstance(value, str):
        raise Unfit("it is not text")
    return value


def _null(value: Any, info: Any) -> None:
    if value is not None:
        raise Unfit("it has a value")


def _date(value: Any, info: Any) -> str:
    try:
        at = datetime.fromisoformat(_string(value, info))
    except ValueError:
        raise Unfit("dates are written 2026-11-18T10:00:00.000+0000") from None
    if at.tzinfo is None:
        at = at.astimezone()
    return at.isoformat(timespec="milliseconds")


def _json(value: Any, info: Any) -> Any:
    try:
        return checked_json(_string(value, info))
    except ValueError as wrong:
        cause = str(wrong).rstrip(".")
        raise Unfit(f"its text is not JSON that can be read: {cause}") from None


def _object(value: Any, info: Mapping[str, Any]) -> Any:
    written_as = info.get("serializationDataFormat")
    if written_as != JSON_FORMAT:
        raise Unfit(f"only objects written as {JSON_FORMAT} can be kept")
    return _json(value, info)


def _bytes(value: Any, info: Any) -> dict[str, Any]:
    return {MARK: "Bytes", "content": _base64(value)}


def _file(value: Any, info: Mapping[str, Any]) -> dict[str, Any]:
    name = info.get("filename")
    if not isinstance(name, str) or not name:
        raise Unfit("a file needs a filename in its valueInfo")
    noted = {"filename": name}
    noted |= {key: str(info[key]) for key in ("mimeType", "encoding") if info.get(key)}
    if "mimeType" not in noted and info.get("mimetype"):
        noted["mimeType"] = str(info["mimetype"])
    return {MARK: "File", **noted, "content": _base64(value or "")}


def _base64(value: Any) -> str:
    try:
        base64.b64decode(_string(value, None), validate=True)
    except (binascii.Error, ValueError):
        raise Unfit("its content is not base64") from None
    return str(value)


def about(file: Mapping[str, Any]) -> dict[str, Any]:
    named = ("filename", "mimeType", "encoding")
    return {key: file[key] for key in named if key in file}


READERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "string": _string,
    **{name: _whole(bits) for name, bits in BITS.items()},
    "double": _double,
    "boolean": _boolean,
    "null": _null,
    "date": _date,
    "json": _json,
    "object": _object,
    "bytes": _bytes,
    "file": _file,
}
