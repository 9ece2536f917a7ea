"""History: one ordered stream of what happened, appended to and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, order=True)
class Cursor:
    """A position in the stream.

    Lines are ordered by transaction first: a slow transaction may commit lines with
    low numbers late, and a reader who followed numbers alone would skip them.
    """

    transaction: int = 0
    line: int = 0


@dataclass(frozen=True)
class Event:
    """One line: who, when, what, on what, with old and new values in ``data``."""

    cursor: Cursor
    at: datetime
    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    task_id: str | None
    data: dict[str, Any] = field(default_factory=dict)
