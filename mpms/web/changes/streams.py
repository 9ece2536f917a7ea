"""The last hints, kept once for all browsers, and each browser's place among them.

A browser that is slow costs no memory: it only falls behind, and when what it has not
read is no longer kept it is told to fetch everything again.

Lines of the history are *certain* when no earlier one can still be committed. Hints
are handed out before that, because one long transaction anywhere in the PostgreSQL
cluster would hold all of them back; but only certain lines move the position from
which a browser resumes, so that nothing is skipped. What was handed out early is not
told again when it becomes certain, except to those who came in between.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from mpms.domain.history.events import Cursor
from mpms.web.changes.hints import Hint, merged

_POSITION = re.compile(r"(\d{1,18})-(\d{1,18})")


def position_text(cursor: Cursor) -> str:
    return f"{cursor.transaction}-{cursor.line}"


def read_position(text: str) -> Cursor | None:
    """None if this can be no position of ours."""
    found = _POSITION.fullmatch(text)
    return None if found is None else Cursor(int(found[1]), int(found[2]))


def message(event: str, data: str, at: Cursor | None = None) -> bytes:
    """One message of an event stream."""
    position = "" if at is None else f"id: {position_text(at)}\n"
    return f"{position}event: {event}\ndata: {data}\n\n".encode()


@dataclass(frozen=True)
class Kept:
    """A hint and the line it came from."""

    hint: Hint
    certain: Cursor | None = None
    told_at: int | None = None  # the number under which it was handed out early


class Lost(Exception):
    """What was asked for is no longer kept, or never was there."""


class Hints:
    """The last hints, numbered as they came. Not for two threads at once."""

    def __init__(self, keep: int) -> None:
        self._kept: deque[Kept] = deque(maxlen=keep)
        self._cache: dict[tuple[int, int], bytes] = {}
        self.next = 0  # the number of the hint to come
        self.floor = Cursor()  # certain lines up to here are not kept
        self.certain = Cursor()  # the last certain line
        self.early: dict[int, int] = {}  # uncertain line -> the number of its hint

    def begin(self, floor: Cursor) -> None:
        """Nothing up to here is known."""
        self.floor = self.certain = floor

    def add_early(self, line: int, hint: Hint) -> None:
        self.early[line] = self.next
        self._add(Kept(hint))

    def add(self, at: Cursor, hint: Hint) -> bool:
        """Add a certain line; False if its hint has been handed out before."""
        told_at = self.early.pop(at.line, None)
        self._add(Kept(hint, at, told_at))
        self.certain = at
        return told_at is None

    def number_after(self, position: Cursor) -> int:
        """Where to begin so as to miss nothing after a position. Lost."""
        if not self.floor <= position <= self.certain:
            raise Lost
        number = self.next
        for place, kept in enumerate(reversed(self._kept), start=1):
            if kept.certain is not None:
                if kept.certain <= position:
                    break
                number = self.next - place
        return max(self._first, min([number, *self.early.values()]))

    def since(self, number: int, began: int) -> tuple[bytes, Cursor | None]:
        """What a browser that began at one number has not been told from another
        number on, and the last certain line of it. Lost."""
        if number < self._first:
            raise Lost
        news = list(islice(reversed(self._kept), self.next - number))
        at = next((kept.certain for kept in news if kept.certain is not None), None)
        if any(kept.told_at is not None for kept in news):
            untold = [k for k in news if k.told_at is None or k.told_at < began]
            return _hint_message(reversed(untold), at), at
        key = (number, self.next)
        if key not in self._cache:
            self._cache[key] = _hint_message(reversed(news), at)
        return self._cache[key], at

    @property
    def _first(self) -> int:
        return self.next - len(self._kept)

    def _add(self, kept: Kept) -> None:
        if len(self._kept) == self._kept.maxlen and self._kept[0].certain is not None:
            self.floor = self._kept[0].certain
        self._kept.append(kept)
        self._cache.clear()
        self.next += 1


def _hint_message(news: Iterable[Kept], at: Cursor | None) -> bytes:
    found = merged(kept.hint for kept in news)
    return message("hint", json.dumps(found), at) if found else b""
