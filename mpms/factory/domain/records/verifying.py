"""Whether records are as they were written: chains, heads, seals, nothing gone.

Lines are read one after the other and none is kept, so a million of them need no more
memory than one record; what the plant's own record says of others is read first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

from mpms.factory.domain.records.chain import PLANT, Head, Line, hash_of
from mpms.factory.domain.records.seals import SEALED, Verify, seal_fault

OPENED, CLOSED, HEADS = "record opened", "record sealed", "heads"


@dataclass(frozen=True)
class Fault:
    """The first thing that is wrong with a record."""

    record: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.record}, line {self.line}: {self.why}"


@dataclass
class Verified:
    """What was looked at and what is wrong; ``head`` is the plant's last line."""

    records: int = 0
    lines: int = 0
    seals: int = 0
    open_records: int = 0  # whose last lines no seal covers
    keys: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    head: Head = field(default_factory=lambda: Head(PLANT))


Promises = dict[str, dict[int, str]]  # record: {line: hash}


class Verifier:
    """Reads heads, the plant's record, all others, and heads once more.

    Meanwhile others go on adding lines; what the later heads know is no fault.
    """

    def __init__(
        self, heads: Iterable[Head], known_keys: Iterable[str], verify: Verify
    ) -> None:
        self.report = Verified()
        self._heads = {head.record: head for head in heads}
        self._keys = frozenset(known_keys)
        self._verify = verify
        self._grown: list[Head] = []
        self._promises: Promises = {}

    def promise(self, record: str, hashes: Mapping[int, str]) -> None:
        """What is known of a record without the plant's own."""
        self._promises.setdefault(record, {}).update(hashes)

    def plant(self, lines: Iterable[Line], expected: Head | None = None) -> None:
        """The plant's own record; ``expected`` is a line that somebody noted."""
        promises = self._promises
        held = expected is None

        def look(line: Line, content: Mapping[str, Any]) -> None:
            nonlocal held
            _promise(promises, content)
            if expected is not None and line.line == expected.lines:
                held = line.hash == expected.hash

        self._record(PLANT, lines, look)
        self.report.head = self._seen
        if not held and expected is not None:
            why = f"the line with the hash {expected.hash} is gone or another one"
            self._fault(PLANT, expected.lines, why)

    def others(self, lines: Iterable[Line]) -> None:
        """Every other record, in order of records and lines."""
        seen = set()
        for record, of_record in groupby(lines, key=attrgetter("record")):
            if record == PLANT:
                for _ in of_record:
                    pass
                continue
            seen.add(record)
            promised = self._promises.get(record)
            self._record(record, of_record, None, promised)
            if promised is None and record in self._heads:
                self._fault(record, 1, "the plant's record does not know this record")
        for record in sorted((self._promises.keys() | self._heads.keys()) - seen):
            if record != PLANT:
                self._fault(record, 1, "the whole record is gone")

    def orders(self, numbers: Iterable[str]) -> None:
        """Orders of which there must be a record."""
        known = self._promises.keys() | self._heads.keys()
        for number in numbers:
            if number not in known:
                self._fault(number, 1, "the order has no record")

    def later(self, heads: Iterable[Head]) -> None:
        """The heads after all was read."""
        known = {head.record: head.lines for head in heads}
        for head in self._grown:
            if known.get(head.record, 0) < head.lines:
                self._fault(head.record, head.lines, "no head knows this line")

    def _record(
        self,
        record: str,
        lines: Iterable[Line],
        look: Any = None,
        promised: Mapping[int, str] | None = None,
    ) -> None:
        report, at = self.report, Head(record)
        report.records += 1
        head = self._heads.get(record)
        owed = dict(promised or {})
        if head is not None and head.lines:
            other = owed.get(head.lines, head.hash) != head.hash
            owed[head.lines] = head.hash
            if other:
                self._fault(record, head.lines, "the head of the record is another one")
        sealed, broken = 0, False
        for line in lines:
            report.lines += 1
            if broken:
                continue
            fault, content = _line_fault(line, at)
            here = Head(record, line.line, line.hash)
            if fault is None and content is not None and content["what"] == SEALED:
                fault = seal_fault(content, at, self._keys, self._verify)
                sealed = line.line
                report.seals += 1
                report.keys.add(str((content.get("data") or {}).get("key")))
            if fault is None and owed.pop(line.line, line.hash) != line.hash:
                fault = "it is not the line that the head or the plant's record names"
            if fault is not None:
                number = at.lines + 1 if line.line != at.lines + 1 else line.line
                self._fault(record, number, fault)
                broken = True
                continue
            at = here
            if look is not None:
                look(line, content)
        self._seen = at
        if broken:
            return
        report.open_records += sealed < at.lines
        if owed:
            self._fault(record, at.lines + 1, "lines are gone that were there before")
        elif head is None or head.lines < at.lines:
            self._grown.append(at)

    def _fault(self, record: str, line: int, why: str) -> None:
        self.report.faults.append(Fault(record, line, why))


def _line_fault(
    line: Line, before: Head
) -> tuple[str | None, Mapping[str, Any] | None]:
    number = before.lines + 1
    if line.line != number:
        return "this line is gone", None
    if hash_of(before.hash, line.content) != line.hash:
        return "the line was changed, or the one before it", None
    try:
        content = json.loads(line.content)
        same = content["record"] == before.record and content["line"] == number
        if not same or "what" not in content:
            return "the line belongs to another place", None
    except (ValueError, KeyError, TypeError):
        return "the line cannot be read", None
    return None, content


def _promise(promises: Promises, content: Mapping[str, Any]) -> None:
    """What a line of the plant says of the lines of others."""
    data = content.get("data") or {}
    match content["what"]:
        case "record opened":
            promises.setdefault(data["record"], {})[1] = data["hash"]
        case "record sealed":
            promises.setdefault(data["record"], {})[data["lines"]] = data["hash"]
        case "heads":
            for record, (lines, last) in data["heads"].items():
                promises.setdefault(record, {})[lines] = last
