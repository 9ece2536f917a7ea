"""Which lots went into which orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol

FORWARDS, BACKWARDS = "forwards", "backwards"


@dataclass(frozen=True)
class LotUse:
    """A lot in an order; ``depth`` 1 is the nearest."""

    direction: str
    order: str
    material: str | None
    lot: str
    depth: int
    product: str | None  # None: the order itself is gone, its record is not
    customer: str | None
    status: str | None
    ended_at: datetime | None
    kg: Decimal | None


@dataclass(frozen=True)
class LotHere:
    """What is left of a lot at a place or on a robot, and which orders it is for."""

    place: str
    kg: Decimal
    orders: str


class Genealogy(Protocol):
    """Read from the lines of records."""

    def of_lot(self, lot: str, *, limit: int) -> Sequence[LotUse]:
        """Both directions at once, the nearest first."""
        ...

    def lots(self, text: str, *, limit: int) -> Sequence[tuple[str, str, bool]]:
        """(lot, material, whether it is a product) of those that begin so."""
        ...

    def in_plant(self, lot: str) -> Sequence[LotHere]:
        """What a recall must block: not yet in any product."""
        ...

    def of_supplier(self, text: str, *, limit: int) -> Sequence[tuple[str, str]]:
        """(Lot, material) of what a supplier calls so, the newest first."""
        ...
