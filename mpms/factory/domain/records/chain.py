"""Lines of a record, each with a hash over the one before it.

What is hashed is a text, kept as it is: whoever verifies a record hashes that text and
never writes JSON again, so no two programs can disagree on how a number is written.
``docs/records.md`` describes the format for others.

Each order has a chain of its own, so that orders do not wait for each other. The plant
has one more, whose lines tell when an order's record begins and how long it is when it
is sealed: so an order that is gone as a whole leaves a trace too.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

PLANT = "plant"  # the record of all records; no order has a number like it
FIRST = "0" * 64  # what the first line of a record goes on from
UNWRITABLE = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Entry:
    """What a line says. ``who`` is the login of a person, or a robot or a topic."""

    record: str
    what: str
    who: str
    where: str | None = None  # the element of the model
    why: str | None = None
    old: Any = None
    new: Any = None
    instrument: str | None = None
    raw: str | None = None  # as the instrument sent it
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Head:
    """The last line of a record: how many there are, and its hash."""

    record: str
    lines: int = 0
    hash: str = FIRST


@dataclass(frozen=True)
class Line:
    """One line as it is kept."""

    record: str
    line: int
    content: str
    hash: str


def chained(head: Head, entries: Iterable[Entry], at: datetime) -> list[Line]:
    """The lines that these entries add to a record."""
    lines: list[Line] = []
    number, before = head.lines, head.hash
    for entry in entries:
        number += 1
        content = written(entry, number, at)
        before = hash_of(before, content)
        lines.append(Line(head.record, number, content, before))
    return lines


def hash_of(before: str, content: str) -> str:
    """SHA-256 over the hash of the line before, as text, and the content."""
    return hashlib.sha256((before + "\n" + content).encode()).hexdigest()


def written(entry: Entry, number: int, at: datetime) -> str:
    """The content of a line: JSON without blanks, keys in order, nothing that is empty.

    A character that PostgreSQL cannot keep becomes a replacement character.
    """
    fields = {
        "record": entry.record,
        "line": number,
        "at": at.astimezone(UTC).isoformat(timespec="microseconds"),
        "what": entry.what,
        "who": entry.who,
        "where": entry.where,
        "why": entry.why,
        "old": entry.old,
        "new": entry.new,
        "instrument": entry.instrument,
        "raw": entry.raw,
        "data": entry.data or None,
    }
    said = {key: _plain(value) for key, value in fields.items() if value is not None}
    return json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """What JSON has a word for; amounts are texts, which keep every digit."""
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return _text(value)
        case Decimal():
            return f"{value:f}" if value.is_finite() else str(value)
        case Mapping():
            return {_text(str(key)): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _:
            return _text(str(value))


def _text(value: str) -> str:
    if value.isprintable():
        return value
    return "".join(
        UNWRITABLE if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in value
    )
