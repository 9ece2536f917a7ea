"""What the dashboard of the plant counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Protocol

from mpms.factory.domain.orders import OrderStatus


@dataclass(frozen=True)
class EndedOrder:
    number: str
    product: str
    customer: str
    status: OrderStatus
    due: date | None
    started_at: datetime | None
    ended_at: datetime
    instance_id: str | None
    kg: Decimal


@dataclass(frozen=True)
class Weighings:
    """Of one material of an order: once for each loaded line is right first time."""

    number: str
    material: str | None
    weighings: int
    lines: int


@dataclass(frozen=True)
class Waited:
    key: str
    element: str
    number: str
    seconds: float


class Dashboard(Protocol):
    def ended(
        self, since: datetime, until: datetime, *, limit: int
    ) -> Sequence[EndedOrder]: ...
    def weighings(self, numbers: Sequence[str]) -> Sequence[Weighings]: ...
    def waits(self, numbers: Sequence[str]) -> Sequence[Waited]: ...
