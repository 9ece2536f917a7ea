"""Keeps the log of what people did as a chain, and says whether it is whole.

A worker follows the history and adds what people did a second later; the history's own
lines may be deleted afterwards, the chain stays.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from mpms.domain.errors import MpmsError
from mpms.domain.history.audit_chain import ChainCheck, ChainHead, ChainLine
from mpms.ports.store import UnitOfWork

PORTION = 1_000
EVERY_S = 1.0


class ChainUnreadable(MpmsError):
    """This is no exported audit log."""


@dataclass
class ChainAudit:
    """A worker's phase."""

    uow: UnitOfWork
    clock_s: Callable[[], float] = time.monotonic
    _next_at: float = field(default=0.0)

    def __call__(self) -> bool:
        now = self.clock_s()
        if now < self._next_at:
            return False
        with self.uow() as tx:
            more = tx.audit_chain.follow(PORTION)
        if not more:
            self._next_at = now + EVERY_S
        return more


def verify_audit(uow: UnitOfWork, expected: ChainHead | None = None) -> ChainCheck:
    """From the first line to the last, compared with what the history still has."""
    check = ChainCheck(expected)
    while check.fault is None:
        with uow() as tx:
            lines = tx.audit_chain.lines(after=check.head.number, limit=PORTION)
            told = tx.audit_chain.told([line.event_id for line in lines])
        check.follow(lines)
        for line in lines:
            if line.event_id in told:
                check.compare(line, told[line.event_id])
        if len(lines) < PORTION:
            break
    check.end()
    return check


def export_chain(uow: UnitOfWork) -> Iterator[str]:
    """One JSON object a line."""
    after = 0
    while True:
        with uow() as tx:
            lines = tx.audit_chain.lines(after=after, limit=PORTION)
        for line in lines:
            yield json.dumps(
                {"number": line.number, "hash": line.hash, "text": line.text}
            )
        if len(lines) < PORTION:
            return
        after = lines[-1].number


def verify_export(
    lines: Iterable[str], expected: ChainHead | None = None
) -> ChainCheck:
    """A file that was exported, without a database. ChainUnreadable."""
    check = ChainCheck(expected)
    try:
        for text in lines:
            said = json.loads(text)
            event_id = int(json.loads(said["text"])["id"])
            number = int(said["number"])
            check.follow([ChainLine(number, event_id, said["text"], said["hash"])])
    except (ValueError, KeyError, TypeError) as error:
        raise ChainUnreadable(f"This is no exported audit log: {error}") from error
    check.end()
    return check
