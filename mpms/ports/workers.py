"""Who works, and which servers outside were reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class WorkerSeen:
    """A worker, as it last said of itself."""

    name: str
    version: str
    poll_s: float
    started_at: datetime
    seen_at: datetime
    rounds: int
    failure: str | None
    clock_ahead_s: float = 0.0  # its machine's, of the database's


@dataclass(frozen=True)
class Look:
    """What lies ready for a worker, and when it must look again."""

    deliveries: bool
    timers: bool
    starts: bool
    inside: bool
    outside: bool
    batches: bool
    next_due_at: datetime | None


@dataclass(frozen=True)
class Contact:
    """When a server outside was last spoken with, or last could not be."""

    server: str
    reached_at: datetime | None
    failed_at: datetime | None
    failure: str | None

    @property
    def broken(self) -> bool:
        """The last attempt failed."""
        if self.failed_at is None:
            return False
        return self.reached_at is None or self.failed_at > self.reached_at


class Workers(Protocol):
    """Who is alive."""

    def beat(
        self,
        name: str,
        *,
        version: str,
        poll_s: float,
        rounds: int,
        failure: str | None,
        topics: Iterable[str],
        wall_at: datetime,
    ) -> None:
        """``wall_at``: what the clock of its own machine says."""
        ...

    def look(
        self, *, inside: Iterable[str], outside: Iterable[str], now: datetime
    ) -> Look:
        """What lies ready, also what somebody else has locked now; a cheap question."""
        ...

    def leave(self, name: str) -> None: ...
    def listing(self) -> Sequence[WorkerSeen]: ...
    def topics(self, *, alive_s: float) -> Sequence[Sequence[str] | None]:
        """What each living worker serves; None of one that does not say."""
        ...

    def reached(self, server: str) -> None: ...
    def failed(self, server: str, failure: str) -> None: ...
    def contacts(self) -> Mapping[str, Contact]: ...
