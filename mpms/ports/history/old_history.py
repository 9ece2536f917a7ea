"""Ended instances that may be deleted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from mpms.domain.history.events import HistoryCounts


class OldHistory(Protocol):
    """Ended instances with all that tells of them; what they worked for stays."""

    def trees(
        self, before: datetime, *, limit: int | None, kept: Iterable[str] = ()
    ) -> tuple[list[list[str]], list[str]]:
        """The oldest ended instances, each with all it called; and the first ones of
        those that must stay, because something in them is active or undecided."""
        ...

    def count(self, instance_ids: Sequence[str]) -> HistoryCounts: ...
    def delete(self, instance_ids: Sequence[str]) -> None: ...
    def count_loose(self, before: datetime) -> int:
        """Lines that belong to no instance and name nothing that one works for."""
        ...

    def delete_loose(self, before: datetime, *, limit: int) -> int: ...
