"""Rows that a step writes, kept until its end: one statement a table, however many.

Between the tables the order of writing is fixed here; what plug-ins add comes last;
within a table it is the order of asking. Nothing may be gathered that must come after
another statement: whatever else is run first spreads what was gathered.
"""

from __future__ import annotations

from typing import Any

ORDER = (
    "waits_close_forms",
    "waits_close_jobs",
    "waits_close_timers",
    "waits_close_subscriptions",
    "waits_close_calls",
    "incidents_resolve_tasks",
    "waits_open_forms",
    "waits_open_jobs",
    "waits_open_timers",
    "waits_open_subscriptions",
    "deliveries_insert",
    "events_append",
    "instances_save",
)


class Gathered:
    """Rows by the statement that takes them, each a mapping of columns."""

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add(self, statement: str, row: dict[str, Any]) -> None:
        self._rows.setdefault(statement, []).append(row)

    def drop(self, statement: str, column: str, value: object) -> bool:
        """Take back the rows that have this value; what was never there is not
        written at all. False if there is none."""
        rows = self._rows.get(statement, [])
        kept = [row for row in rows if row[column] != value]
        if len(kept) == len(rows):
            return False
        if kept:
            self._rows[statement] = kept
        else:
            del self._rows[statement]
        return True

    def copy(self) -> Gathered:
        """What is gathered now, whatever comes and goes later."""
        copied = Gathered()
        copied._rows = {name: list(rows) for name, rows in self._rows.items()}
        return copied

    def take(self) -> list[tuple[str, dict[str, list[Any]]]]:
        """Each statement with its columns, in order; nothing is gathered any more."""
        taken, self._rows = self._rows, {}
        names = [*ORDER, *(name for name in taken if name not in ORDER)]
        return [
            (name, {column: [row[column] for row in rows] for column in rows[0]})
            for name in names
            if (rows := taken.get(name))
        ]
