"""The start events of a process that something other than a person triggers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class StartEvent:
    """A start event as drawn. ``kind`` is none, message, signal or timer."""

    process: str
    element: str
    name: str
    kind: str
    event: str | None = None  # the name of the message or signal
    timer: str = ""  # date, duration or cycle
    text: str = ""  # of the timer


@dataclass(frozen=True)
class Due:
    """When a timer comes next.

    The turns of a cycle are counted from ``anchor_at``, so that the 31st stays the
    31st after a February. ``left`` counts this turn too; None: for ever. ``text`` is
    the timer's text after its expressions were evaluated.
    """

    at: datetime
    anchor_at: datetime
    left: int | None
    text: str


@dataclass(frozen=True)
class TimerStart:
    """A timer start event of a deployed version, claimed because it is due."""

    id: int
    definition_id: int
    key: str
    element: str
    timer: str
    due: Due
    failures: int = 0
