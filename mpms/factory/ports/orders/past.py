"""What was really done for orders, for a chart beside what is planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol


@dataclass(frozen=True)
class PastOrder:
    number: str
    product: str
    status: str
    priority: str
    due: date | None
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class PastWork:
    """A drive of a robot, or what a person did; no end: it lasts."""

    resource: str
    order: str
    what: str  # the place, the element
    from_at: datetime
    to_at: datetime | None


class PastOrders(Protocol):
    def orders(self, since: datetime, *, limit: int) -> Sequence[PastOrder]: ...
    def drives(self, numbers: Sequence[str]) -> Sequence[PastWork]: ...
    def work(self, numbers: Sequence[str]) -> Sequence[PastWork]: ...
