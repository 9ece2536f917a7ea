"""Follows the history and counts it, so that pages need not read it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mpms.adapters.postgres.database.statements import Repository

ENDS = ("instance completed", "instance cancelled", "instance failed")
STEPS: dict[str, Sequence[str]] = {
    "tallies_enter": ("entered",),
    "tallies_take": ("task claimed",),
    "tallies_leave": ("left", "cancelled"),
    "tallies_forget": ENDS,
    "tallies_processes": ("instance started", *ENDS),
    "tallies_values": ("variable",),
    "tallies_ended": ("variable", *ENDS),
    "tallies_lead_times": ("instance completed",),
}
"""What is counted, and the kinds of lines that it is counted from."""


class Tallies(Repository):
    """Rows of ``visits``, ``element_hours``, ``process_hours``, ``found_values``."""

    def follow(self, limit: int) -> bool:
        """Count the next lines; False if there are none or another worker does it."""
        self._statements.run_later("tallies_unhurried")
        place = self._statements.row("tallies_place")
        if place is None:
            return False
        transaction, line = place
        reach = self._statements.row(
            "tallies_reach", transaction=transaction, line=line, limit=limit
        )
        if reach is None:
            return False
        to_transaction, to_line, kinds = reach
        portion = {
            "transaction": transaction,
            "line": line,
            "to_transaction": to_transaction,
            "to_line": to_line,
            "limit": limit,
        }
        for name, wanted in STEPS.items():
            if not set(kinds).isdisjoint(wanted):
                self._statements.run_later(name, **portion)
        self._statements.run_later("tallies_kinds", **portion)
        self._statements.run_added("tally", **portion)
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
