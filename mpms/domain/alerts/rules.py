"""When somebody is told of a cause, and in how few messages.

Rules without I/O: what opens together is told together, nobody gets messages at short
intervals, and a cause that goes and comes is one cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class AlertRules:
    """How patient the alerts are."""

    gather_s: float = 5.0  # a trouble seldom comes alone: wait for what it brings
    apart_s: float = 300.0  # between two messages on one channel
    over_after_s: float = 120.0  # nothing open for so long: the cause is over


@dataclass(frozen=True)
class AlertWish:
    """What one person wants to be told. ``processes``: None for all of them; an empty
    name stands for what belongs to no process."""

    by_mail: bool = False
    when_over: bool = False
    processes: tuple[str, ...] | None = None

    def covers(self, processes: Iterable[str]) -> bool:
        return self.processes is None or not set(self.processes).isdisjoint(processes)


@dataclass(frozen=True)
class ToldCause:
    """A cause as an alert names it."""

    cause: str
    message: str
    incidents: int
    processes: tuple[str, ...]
    first_at: datetime


@dataclass(frozen=True)
class Digest:
    """Everything that one message tells."""

    new: tuple[ToldCause, ...] = ()
    over: tuple[ToldCause, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.over)

    @property
    def causes(self) -> list[str]:
        return [told.cause for told in self.new]


def is_time(
    new: Sequence[ToldCause],
    over: Sequence[ToldCause],
    *,
    last_at: datetime | None,
    now: datetime,
    rules: AlertRules,
) -> bool:
    """Whether a message with all of this shall go out now."""
    if not new and not over:
        return False
    if last_at is not None and now < last_at + timedelta(seconds=rules.apart_s):
        return False
    gathered_at = now - timedelta(seconds=rules.gather_s)
    return bool(over) or min(told.first_at for told in new) <= gathered_at
