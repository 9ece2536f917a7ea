"""Follows the history and counts it, so that pages need not read it again."""

from __future__ import annotations

from collections.abc import Mapping

from mpms.adapters.postgres.database.statements import Repository

STEPS = (
    "tallies_enter",
    "tallies_take",
    "tallies_leave",
    "tallies_forget",
    "tallies_processes",
    "tallies_values",
    "tallies_ended",
    "tallies_lead_times",
    "tallies_orders",
    "tallies_kinds",
)


class Tallies(Repository):
    """Rows of ``visits``, ``element_hours``, ``process_hours``, ``found_values``."""

    def follow(self, limit: int) -> bool:
        """Count the next lines; False if there are none or another worker does it."""
        place = self._statements.row("tallies_place")
        if place is None:
            return False
        transaction, line = place
        reach = self._statements.row(
            "tallies_reach", transaction=transaction, line=line, limit=limit
        )
        if reach is None:
            return False
        to_transaction, to_line = reach
        for name in STEPS:
            self._statements.run(
                name,
                transaction=transaction,
                line=line,
                to_transaction=to_transaction,
                to_line=to_line,
            )
        self._statements.run("tallies_move", transaction=to_transaction, line=to_line)
        return True

    def count_jobs(self, run: Mapping[str, int], failed: Mapping[str, int]) -> None:
        topics = sorted({*run, *failed})
        self._statements.run(
            "tallies_count_jobs",
            topics=topics,
            run=[run.get(topic, 0) for topic in topics],
            failed=[failed.get(topic, 0) for topic in topics],
        )
