"""Clocks: the machine's, and one that a test moves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """Stands still until it is moved."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        return self._at

    def move(self, seconds: float) -> None:
        self._at += timedelta(seconds=seconds)
