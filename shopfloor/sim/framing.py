"""Frames on their way in: operations out of text, also out of damaged text.

The real server keeps what it cannot parse and looks for an operation inside it,
so a stray letter before an operation, two operations in one frame or one
operation split over two frames all work. Bounded here, unlike there.
"""

import json
from typing import Any

import cbor2
import orjson

from shopfloor.sim.encoding import Frame

MAX_REMAINDER_CHARS = 65_536
MAX_CANDIDATES = 128
MAX_FRAGMENTED_CHARS = 64 * 1024 * 1024
MAX_FRAGMENT_LISTS = 32

Operation = dict[str, Any]
_DECODER = json.JSONDecoder()


class FrameReader:
    """Turns the frames of one connection into operations."""

    def __init__(self) -> None:
        self._remainder = ""

    def feed(self, frame: Frame) -> tuple[list[Operation], str | None]:
        """The operations found, and what was wrong if anything was."""
        if isinstance(frame, bytes):
            try:
                return self._accept(cbor2.loads(frame))
            except (cbor2.CBORDecodeError, ValueError) as error:
                return [], f"Unreadable binary frame: {error}"
        try:
            value = orjson.loads(frame)
        except orjson.JSONDecodeError:
            return self._salvage(self._remainder + frame)
        operations, complaint = self._accept(value)
        if operations:
            self._remainder = ""
        elif self._remainder:
            return self._salvage(self._remainder + frame)
        return operations, complaint

    def _accept(self, value: Any) -> tuple[list[Operation], str | None]:
        if not isinstance(value, dict):
            return [], "Received a message that is not an object"
        if not isinstance(value.get("op"), str):
            return [], "Received a message without an op"
        return [value], None

    def _salvage(self, text: str) -> tuple[list[Operation], str | None]:
        found = []
        position = 0
        kept = ""
        for _ in range(MAX_CANDIDATES):
            start = text.find("{", position)
            if start < 0:
                kept = text
                break
            try:
                value, end = _DECODER.raw_decode(text, start)
            except (json.JSONDecodeError, RecursionError):
                position = start + 1
                continue
            position = end
            if isinstance(value.get("op"), str):
                found.append(value)
                text, position = text[end:], 0
        self._remainder = kept.strip() if len(kept) <= MAX_REMAINDER_CHARS else ""
        if found and not text.strip():
            return found, None
        return found, "Unable to deserialize the message as JSON"


class Defragmenter:
    """Collects fragments by id until all have come."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[int, str]] = {}
        self._chars = 0

    def add(self, operation: Operation) -> str | None:
        """The whole text once complete. Raises ValueError for a bad fragment."""
        key, number, total, data = (
            operation.get(name) for name in ("id", "num", "total", "data")
        )
        if key is None or not isinstance(data, str):
            raise ValueError("A fragment needs id, num, total and data")
        if type(number) is not int or not isinstance(total, int | float):
            raise ValueError("num and total of a fragment are numbers")
        if not 0 <= number < total:
            raise ValueError(f"Fragment {number} is not below total {total}")
        if self._chars + len(data) > MAX_FRAGMENTED_CHARS:
            self._parts.clear()
            self._chars = 0
            raise ValueError("Too much fragmented text; all of it was dropped")
        parts = self._parts.setdefault(str(key), {})
        if number not in parts:
            parts[number] = data
            self._chars += len(data)
        if len(parts) >= total:
            del self._parts[str(key)]
            whole = "".join(parts[index] for index in sorted(parts))
            self._chars -= len(whole)
            return whole
        while len(self._parts) > MAX_FRAGMENT_LISTS:
            oldest = self._parts.pop(next(iter(self._parts)))
            self._chars -= sum(len(part) for part in oldest.values())
        return None
