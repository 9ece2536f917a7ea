"""Deletes what ended long ago: the only sanctioned way past the append-only history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository, Statements
from mpms.domain.history.events import HistoryCounts, PluginRows
from mpms.domain.history.kinds import Kinds


class OldHistory(Repository):
    """Ended instances with all that tells of them."""

    def __init__(self, statements: Statements, kinds: Kinds) -> None:
        super().__init__(statements)
        self._kept = [f'%"{name}":%' for name in kinds.subjects]

    def trees(
        self, before: datetime, *, limit: int | None, kept: Iterable[str] = ()
    ) -> tuple[list[list[str]], list[str]]:
        """The oldest ended instances, each with all it called; and those of them
        that must stay, because something in them is active or undecided."""
        rows = self._statements.rows(
            "old_history_instances", before=before, limit=limit, kept=list(kept)
        )
        trees: dict[str, list[str]] = {}
        stay: set[str] = set()
        for root, instance_id, needed in rows:
            trees.setdefault(root, []).append(instance_id)
            if needed:
                stay.add(root)
        free = [ids for root, ids in trees.items() if root not in stay]
        return free, sorted(stay)

    def count(self, instance_ids: Sequence[str]) -> HistoryCounts:
        row = self._statements.row("old_history_count", ids=list(instance_ids))
        events, answers, incidents, attachments = row or (0, 0, 0, 0)
        theirs = self._statements.added("old", ids=list(instance_ids))
        return HistoryCounts(
            len(instance_ids),
            events,
            answers,
            incidents,
            attachments,
            of_plugins=tuple(PluginRows(*row) for row in theirs),
        )

    def delete(self, instance_ids: Sequence[str]) -> None:
        ids = list(instance_ids)
        self._statements.run("old_history_allow")
        self._statements.run("old_history_delete_events", ids=ids)
        self._statements.run_added("delete", ids=ids)
        self._statements.run("old_history_delete_instances", ids=ids)

    def count_loose(self, before: datetime) -> int:
        """Lines that belong to no instance and name nothing that one works for."""
        row = self._statements.row(
            "old_history_count_loose", before=before, kept=self._kept
        )
        return 0 if row is None else int(row[0])

    def delete_loose(self, before: datetime, *, limit: int) -> int:
        self._statements.run("old_history_allow")
        return self._statements.run(
            "old_history_delete_loose", before=before, kept=self._kept, limit=limit
        )
