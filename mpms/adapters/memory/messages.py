"""Messages and signals in memory: who waits for them, what is kept, what they start.

As in db/queries/deliveries.sql: a signal goes to all who wait; a message to the oldest
that fits, and one with the same key before one that asks for none; else it starts a
process, else it is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mpms.domain.instances.steps import EventWait, Start, Throw, received
from mpms.domain.models.definitions import Definition
from mpms.ports.engine import Engine

if TYPE_CHECKING:
    from mpms.adapters.memory.store import MemoryStore


class Messages:
    """Of one run."""

    def __init__(
        self, store: MemoryStore, engine: Engine, definitions: Sequence[Definition]
    ) -> None:
        self._store = store
        self._waiting: dict[str, tuple[str, EventWait]] = {}  # by task, oldest first
        self._promised: set[str] = set()  # a message is on its way there
        self._kept: list[Throw] = []
        newest = {d.key: d for d in sorted(definitions, key=lambda d: d.version)}
        self._starts = [
            (start.kind, start.event, start.element, definition)
            for definition in newest.values()
            for start in engine.starts(definition.xml)
            if start.process == definition.key and start.kind in ("message", "signal")
        ]

    def subscribe(self, instance_id: str, wait: EventWait) -> None:
        self._waiting[wait.task_id] = (instance_id, wait)

    def unsubscribe(self, task_id: str) -> None:
        self._waiting.pop(task_id, None)
        self._promised.discard(task_id)

    def throw(
        self, throw: Throw, *, keep_s: float | None = None, by: str | None = None
    ) -> int:
        if throw.kind == "signal":
            return self._broadcast(throw, by)
        for exact in (True, False):
            for instance_id, wait in self._waiting.values():
                if wait.task_id not in self._promised and _fits(wait, throw, exact):
                    self._hand(instance_id, wait, throw)
                    return 1
        if self._start(throw):
            return 1
        if keep_s != 0 and not (throw.once and throw in self._kept):
            self._kept.append(throw)
        return 0

    def keep(self, throw: Throw, *, keep_s: float | None = None) -> None:
        self._kept.append(throw)

    def match(self, wait: EventWait, instance_id: str) -> bool:
        for throw in self._kept:
            if _fits(wait, throw, True) or _fits(wait, throw, False):
                self._kept.remove(throw)
                self._hand(instance_id, wait, throw)
                return True
        return False

    def _broadcast(self, throw: Throw, by: str | None) -> int:
        reached = 0
        for instance_id, wait in list(self._waiting.values()):
            if (wait.kind, wait.event) == ("signal", throw.event) and instance_id != by:
                self._hand(instance_id, wait, throw)
                reached += 1
        return reached + self._start(throw)

    def _hand(self, instance_id: str, wait: EventWait, throw: Throw) -> None:
        if throw.kind == "message":
            self._promised.add(wait.task_id)
        self._store.deliveries.add(
            instance_id, "receive", task_id=wait.task_id, data=received(throw)
        )

    def _start(self, throw: Throw) -> int:
        started = 0
        for kind, event, element, definition in self._starts:
            if (kind, event) == (throw.kind, throw.event):
                start = Start(throw.variables, element)
                self._store.start_by(definition, start, throw.correlation)
                started += 1
        return started


def _fits(wait: EventWait, throw: Throw, exact: bool) -> bool:
    if (wait.kind, wait.event) != ("message", throw.event):
        return False
    if exact:
        return wait.correlation is not None and wait.correlation == throw.correlation
    return wait.correlation is None
