"""A history in memory that keeps the database's promises about running transactions."""

from __future__ import annotations

import json
import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from mpms.domain.errors import DatabaseAway
from mpms.domain.history.events import Cursor, Event

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class History:
    """Committed and uncommitted lines; as the unit of work it gives itself."""

    def __init__(self) -> None:
        self.away = False
        self.asked = 0
        self.looked_up: list[set[str]] = []
        self._lock = threading.Lock()
        self._next_transaction = 1
        self._next_line = 1
        self._running: dict[int, list[Event]] = {}
        self._committed: list[Event] = []

    # -- writing -------------------------------------------------------------------

    def begin(self) -> int:
        with self._lock:
            number = self._next_transaction
            self._next_transaction += 1
            self._running[number] = []
            return number

    def append(self, transaction: int, kind: str = "entered", **more: Any) -> Cursor:
        given = {"instance_id": None, "element": None, "task_id": None} | more
        with self._lock:
            cursor = Cursor(transaction, self._next_line)
            self._next_line += 1
            event = Event(cursor, NOON, kind, given.pop("actor", "x"), **given)
            self._running[transaction].append(event)
            return cursor

    def commit(self, transaction: int) -> None:
        with self._lock:
            for event in self._running.pop(transaction):
                insort(self._committed, event, key=_cursor)

    def write(self, task_id: str, kind: str = "entered", **more: Any) -> Cursor:
        transaction = self.begin()
        cursor = self.append(transaction, kind, task_id=task_id, **more)
        self.commit(transaction)
        return cursor

    # -- what the follower uses ----------------------------------------------------

    @contextmanager
    def __call__(self) -> Iterator[Any]:
        if self.away:
            raise DatabaseAway("pulled the plug")
        self.asked += 1
        yield self

    @property
    def events(self) -> History:
        return self

    @property
    def instances(self) -> History:
        return self

    def last(self, limit: int) -> Sequence[Event]:
        with self._lock:
            end = self._end()
            return self._committed[max(0, end - limit) : end]

    def after(self, cursor: Cursor, *, limit: int = 500) -> Sequence[Event]:
        with self._lock:
            start = bisect_right(self._committed, cursor, key=_cursor)
            return self._committed[start : min(self._end(), start + limit)]

    def held(self, known: Iterable[int], *, limit: int = 500) -> Sequence[Event]:
        seen = set(known)
        with self._lock:
            held = self._committed[self._end() :]
            return [e for e in held if e.cursor.line not in seen][:limit]

    def business_keys(self, instance_ids: Iterable[str]) -> dict[str, str | None]:
        wanted = set(instance_ids)
        self.looked_up.append(wanted)
        return {each: f"MO-{each}" for each in wanted}

    def _end(self) -> int:
        """How many lines no running transaction can precede."""
        oldest = min(self._running, default=self._next_transaction)
        return bisect_left(self._committed, Cursor(oldest), key=_cursor)


def _cursor(event: Event) -> Cursor:
    return event.cursor


class Bell:
    """An alarm that rings when somebody wakes it."""

    def __init__(self) -> None:
        self._rung = threading.Event()

    def wait(self, timeout_s: float) -> object:
        rung = self._rung.wait(timeout_s)
        self._rung.clear()
        return rung

    def wake(self) -> None:
        self._rung.set()


class Heard:
    """What a browser would make of the bytes it got."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []
        self.position: str | None = None

    def take(self, sent: bytes | None) -> Heard:
        for block in (sent or b"").decode().split("\n\n"):
            fields = dict(
                line.split(": ", 1) for line in block.split("\n") if ": " in line
            )
            self.position = fields.get("id", self.position)
            if "event" in fields:
                data = fields["data"]
                read = json.loads(data) if data.startswith("{") else data
                self.events.append((fields["event"], read))
        return self

    def of(self, kind: str) -> list[Any]:
        return [data for event, data in self.events if event == kind]

    def tasks(self) -> list[str]:
        return [task for hint in self.of("hint") for task in hint.get("tasks", [])]
