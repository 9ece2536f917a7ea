"""Requests: what processes ask of the fleet, whoever does it.

A request names places, packages and shelves, never how it is done. It ends once, and
the process that waits for it hears it once.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class RequestKind(enum.StrEnum):
    MOVE = "move"  # a robot to a place
    TRANSPORT = "transport"  # a load from a place to another
    STORE = "store"  # what lies at an input, to any free storage place
    RETRIEVE = "retrieve"  # a package of a type, to an output
    FETCH_SHELF = "fetch_shelf"
    RETURN_SHELF = "return_shelf"


class RequestState(enum.StrEnum):
    NEW = "new"  # the fleet has not begun it: an input or output is not free yet
    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class FleetRequest:
    """One row of ``fleet_requests``. ``gone``: the process waits for it no longer."""

    id: str
    kind: RequestKind
    data: Mapping[str, Any] = field(default_factory=dict)
    state: RequestState = RequestState.NEW
    fleet_task: str = ""
    code: str | None = None
    why: str | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    task_id: str | None = None
    instance_id: str | None = None
    gone: bool = False

    @property
    def called(self) -> str:
        """Of a drive, the place as the model names it: ``home`` is another for each
        robot."""
        if self.kind is not RequestKind.MOVE:
            return ""
        return str(self.data.get("called") or self.data.get("place") or "")
