"""The history of what people did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True)
class AuditFilter:
    """What of the log is wanted; None: all of it."""

    actor: str | None = None
    kind: str | None = None
    thing: str | None = None  # a login, an instance, what one works for ...
    since: datetime | None = None
    until: datetime | None = None


AuditPlace = tuple[datetime, int]


@dataclass(frozen=True)
class AuditLine:
    """One thing that a person did."""

    id: int
    at: datetime
    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    data: Mapping[str, Any]
    business_key: str | None
    process: str | None


class AuditLog(Protocol):
    """The history of people."""

    def lines(
        self, wanted: AuditFilter, *, below: AuditPlace | None, limit: int
    ) -> Sequence[AuditLine]: ...
