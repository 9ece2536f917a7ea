"""Manufacturing orders: what to make, from which raw materials, how much of each."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal


class OrderStatus(enum.StrEnum):
    """Where an order stands."""

    WAITING = "waiting for release"
    NEW = "new"
    IN_PROCESS = "in process"
    DONE = "done"
    CANCELLED = "cancelled"
    COMPLETED_MANUALLY = "completed manually"

    @property
    def ended(self) -> bool:
        return self in ENDED


ENDED = frozenset(
    {OrderStatus.DONE, OrderStatus.CANCELLED, OrderStatus.COMPLETED_MANUALLY}
)


@dataclass(frozen=True)
class OrderLine:
    """One raw material and its amount."""

    material: str  # code, RM-001
    name: str
    required_kg: Decimal
    lot: str | None = None


@dataclass(frozen=True)
class Order:
    """One row of ``orders`` with its lines."""

    number: str
    product: str
    lines: tuple[OrderLine, ...]
    due: date | None = None
    priority: str = "normal"
    customer: str = ""
    status: OrderStatus = OrderStatus.NEW
    received_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    instance_id: str | None = None
