"""The log of what people did as a chain: each line's hash covers the one before.

Whoever changes, moves or takes out a line breaks the chain there. Whoever takes away
the last lines, or writes the whole chain anew, is found by any line that was noted
elsewhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

FIRST = "0" * 64  # the hash before the first line


@dataclass(frozen=True)
class ChainHead:
    """How long the chain is, and the hash of its last line."""

    number: int = 0
    hash: str = FIRST

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


@dataclass(frozen=True)
class AuditEntry:
    """What somebody did, as the history tells it."""

    id: int
    at: datetime
    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    data: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The same for the same line, whoever writes it down."""
        said = {
            "id": self.id,
            "at": self.at.astimezone(UTC).isoformat(),
            "kind": self.kind,
            "actor": self.actor,
            "instance": self.instance_id,
            "element": self.element,
            "data": self.data,
        }
        return json.dumps(said, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class ChainLine:
    """A line as it is kept."""

    number: int
    event_id: int
    text: str
    hash: str


def next_line(head: ChainHead, entry: AuditEntry) -> ChainLine:
    number = head.number + 1
    return ChainLine(
        number, entry.id, entry.text, hash_of(head.hash, number, entry.text)
    )


def hash_of(before: str, number: int, text: str) -> str:
    return hashlib.sha256(f"{before}\n{number}\n{text}".encode()).hexdigest()


@dataclass
class ChainCheck:
    """Follows a chain from its beginning."""

    expected: ChainHead | None = None  # a line that was noted elsewhere
    head: ChainHead = ChainHead()
    fault: str | None = None  # the first

    def follow(self, lines: Iterable[ChainLine]) -> None:
        for line in lines:
            if self.fault is not None:
                return
            self._look_at(line)
            self.head = ChainHead(line.number, line.hash)

    def compare(self, line: ChainLine, entry: AuditEntry) -> None:
        """With what the history says."""
        if self.fault is None and entry.text != line.text:
            self.fault = f"line {line.number}: the history says something else"

    def end(self) -> None:
        expected = self.expected
        if self.fault is None and expected and self.head.number < expected.number:
            self.fault = (
                f"the log ends at line {self.head.number}; line {expected.number} was"
                " noted before"
            )

    def _look_at(self, line: ChainLine) -> None:
        number = self.head.number + 1
        if line.number != number:
            self.fault = f"line {number} is missing"
        elif line.hash != hash_of(self.head.hash, number, line.text):
            self.fault = f"line {number} is not as it was written"
        elif self.expected is not None and (
            self.expected.number == number and self.expected.hash != line.hash
        ):
            self.fault = f"line {number} is not the one that was noted"
