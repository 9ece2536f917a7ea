"""How long the past is kept, and what was deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class Kept:
    """How long ended instances are kept; None: for ever."""

    days: int | None
    by: str
    at: datetime


@dataclass(frozen=True)
class HistoryRun:
    """A deletion of old history, asked for, under way or done."""

    id: int
    before: datetime
    reason: str
    asked_by: str
    asked_at: datetime | None = None
    taken_by: str | None = None
    taken_at: datetime | None = None
    ended_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str | None = None


class Retention(Protocol):
    """What may be forgotten, and when it was."""

    def kept(self) -> Kept | None: ...
    def keep(self, days: int | None, *, by: str) -> None: ...
    def ask(self, before: datetime, *, reason: str, by: str) -> int | None:
        """None if one is under way."""
        ...

    def asked_lately(self, by: str, *, hours: int) -> bool: ...
    def take(self, worker: str, *, silent_s: float) -> HistoryRun | None: ...
    def progress(
        self, run_id: int, worker: str, counts: Mapping[str, int]
    ) -> bool:  # False: another worker has it now
        ...

    def end(
        self, run_id: int, counts: Mapping[str, int], failure: str | None
    ) -> None: ...
    def runs(self, limit: int) -> Sequence[HistoryRun]: ...
