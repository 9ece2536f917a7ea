"""Instances that began in a window, some at a time, for whoever looks at many of them.

Each piece is read in a transaction of its own: nothing waits for a slow reader, and
there is never more than a few of them in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.errors import MpmsError, NotFound
from mpms.domain.history.cases import CaseHead
from mpms.ports.history.cases import CasePlace
from mpms.ports.store import UnitOfWork


class NoCases(NotFound):
    """No instance of the process began in this window."""


class TooManyCases(MpmsError):
    """More instances began in this window than can be looked at in one go."""


class WindowTurned(MpmsError):
    """The window ends before it begins."""


@dataclass(frozen=True)
class Window:
    """Of one process."""

    key: str
    since: datetime
    until: datetime

    def __str__(self) -> str:
        return f"from {self.since.isoformat()} until {self.until.isoformat()}"


def require_cases(uow: UnitOfWork, window: Window, *, most: int) -> None:
    """ProcessUnknown, WindowTurned, NoCases, TooManyCases."""
    key, since, until = window.key, window.since, window.until
    if since >= until:
        raise WindowTurned(f"The window {window} ends before it begins.")
    with uow() as tx:
        tx.definitions.latest(key)
        count = tx.cases.count(key, since=since, until=until, limit=most + 1)
    if not count:
        raise NoCases(f"No instance of {key} began {window}.")
    if count > most:
        raise TooManyCases(
            f"More than {most:,} instances of {key} began {window};"
            " ask for a shorter window."
        )


def heads_in(
    uow: UnitOfWork, window: Window, *, at_once: int
) -> Iterator[Sequence[CaseHead]]:
    """The oldest first."""
    above: CasePlace | None = None
    while True:
        with uow() as tx:
            heads = tx.cases.heads(
                window.key,
                since=window.since,
                until=window.until,
                above=above,
                limit=at_once,
            )
        if heads:
            yield heads
        if len(heads) < at_once:
            return
        above = (heads[-1].started_at, heads[-1].id)
