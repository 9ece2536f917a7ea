"""Add lines to records in the transaction in which what they say happens.

Anybody notes an entry with ``tx.records.note``; the lines are written right before the
commit (``FactoryHooks.noted``), so a record is locked for a moment only and everybody
locks in the same order. The plant's own record comes last.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpms.factory.domain.records import PLANT, Entry, Line, chained
from mpms.factory.ports.store import Transaction


def append_entries(tx: Transaction, entries: Sequence[Entry]) -> list[Line]:
    """Write them now. A record begins with its first line, which the plant's tells."""
    of_record: dict[str, list[Entry]] = {}
    for entry in entries:
        of_record.setdefault(entry.record, []).append(entry)
    of_plant = of_record.pop(PLANT, [])
    added: list[Line] = []
    if of_record:
        heads, at = tx.records.lock(of_record)
        for record in sorted(of_record):
            head = heads[record]
            lines = chained(head, of_record[record], at)
            added += lines
            if head.lines == 0:
                of_plant.insert(0, _opened(lines[0]))
    if of_plant:
        heads, at = tx.records.lock([PLANT])
        added += chained(heads[PLANT], of_plant, at)
    tx.records.append(added)
    return added


def _opened(line: Line) -> Entry:
    data = {"record": line.record, "hash": line.hash}
    return Entry(PLANT, "record opened", "mpms", data=data)
