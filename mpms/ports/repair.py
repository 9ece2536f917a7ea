"""What repairs need of the database beyond a step: standing still, and forgetting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from mpms.domain.history.events import HistoryCounts
from mpms.domain.instances import Suspension


class Suspensions(Protocol):
    """Instances and processes that stand still by somebody's order."""

    def suspend(self, instance_id: str, *, by: str, reason: str) -> bool:
        """False if the instance stands still already."""
        ...

    def resume(self, instance_id: str) -> bool: ...
    def suspend_process(self, key: str, *, by: str, reason: str) -> bool: ...
    def resume_process(self, key: str) -> bool: ...
    def processes(self) -> dict[str, Suspension]: ...
    def active(self, key: str, *, suspended: bool) -> list[str]:
        """Active instances of a process that do, or do not, stand still."""
        ...


class OldHistory(Protocol):
    """Ended instances with all that tells of them; orders stay."""

    def trees(
        self, before: datetime, *, limit: int | None, kept: Iterable[str] = ()
    ) -> tuple[list[list[str]], list[str]]:
        """The oldest ended instances, each with all it called; and the first ones of
        those that must stay, because something in them is active or undecided."""
        ...

    def count(self, instance_ids: Sequence[str]) -> HistoryCounts: ...
    def delete(self, instance_ids: Sequence[str]) -> None: ...
    def count_loose(self, before: datetime) -> int:
        """Lines that belong to no instance and tell of no order."""
        ...

    def delete_loose(self, before: datetime, *, limit: int) -> int: ...
