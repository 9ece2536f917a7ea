"""Seal records with the plant's key: a phase of the worker.

The record of an order that has ended is sealed when nothing was added for a while, and
again if something still comes. Those of open orders are noted every few minutes in the
plant's record, which is sealed with every line that it gets here, so that nobody can
write what happened earlier anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mpms.factory.domain.records import PLANT, Entry, Line
from mpms.factory.domain.records.seals import seal
from mpms.factory.domain.records.verifying import CLOSED, HEADS
from mpms.factory.ports.records.plant_key import PlantKey
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.records.append import append_entries
from mpms.factory.services.records.route import route_of

QUIET_S = 5.0  # after the last line of an order that has ended
AT_ONCE = 20
NOTED_EVERY_S = 300.0
LOOKS_EVERY_S = 1.0


@dataclass
class SealRecords:
    """One a worker; several of them share the work."""

    uow: UnitOfWork
    key: PlantKey
    quiet_s: float = QUIET_S
    noted_every_s: float = NOTED_EVERY_S
    looks_every_s: float = LOOKS_EVERY_S
    clock: Callable[[], float] = time.monotonic
    _look_at: float = field(default=float("-inf"))
    _note_at: float = field(default=float("-inf"))

    def __call__(self) -> bool:
        if self.clock() < self._look_at:
            return False
        self._look_at = self.clock() + self.looks_every_s
        sealed = self._seal_ended()
        if self.clock() >= self._note_at:
            self._note_at = self.clock() + self.noted_every_s
            self._note_open()
        return sealed

    def _seal_ended(self) -> bool:
        with self.uow() as tx:
            due = tx.records.to_seal(quiet_s=self.quiet_s, limit=AT_ONCE)
            told = [self._seal(tx, record) for record in due]
            if told:
                self._tell(tx, told)
        return bool(told)

    def _seal(self, tx: Transaction, record: str) -> Entry:
        route = route_of(tx, record)
        if route is not None:
            append_entries(tx, [route])
        head = self._sealed(tx, record)
        data = {"record": record, "lines": head.line, "hash": head.hash}
        return Entry(PLANT, CLOSED, "mpms", data=data)

    def _sealed(self, tx: Transaction, record: str) -> Line:
        heads, _ = tx.records.lock([record])
        entry = seal(heads[record], key=self.key.public, sign=self.key.sign)
        (line,) = append_entries(tx, [entry])
        tx.records.set_sealed(record, line.line)
        return line

    def _note_open(self) -> None:
        """Heads that nobody has noted yet."""
        with self.uow() as tx:
            heads = tx.records.unnoted()
            if not heads:
                return
            data = {"heads": {h.record: [h.lines, h.hash] for h in heads}}
            self._tell(tx, [Entry(PLANT, HEADS, "mpms", data=data)])
            tx.records.set_noted(heads)

    def _tell(self, tx: Transaction, told: list[Entry]) -> None:
        append_entries(tx, told)
        self._sealed(tx, PLANT)
