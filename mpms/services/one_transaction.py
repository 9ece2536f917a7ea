"""Let services that open transactions of their own share one.

Whoever does several things that must happen together, or not at all, opens the
transaction and hands this to the services in place of the unit of work. What one of
them undoes by raising is undone alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mpms.ports.store import Transaction


@dataclass(frozen=True)
class OneTransaction:
    """A unit of work whose transactions are parts of one."""

    tx: Transaction

    @contextmanager
    def __call__(self) -> Iterator[Transaction]:
        with self.tx.undoable():
            yield self.tx
