"""Tanks that mix by themselves, and what is remembered of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mpms.factory.domain.mixing import TankReading, TankRun


class TankAway(Exception):
    """The tank's controller does not answer."""


class Tank(Protocol):
    """One tank behind its controller."""

    patience_s: float
    poll_s: float

    def read(self) -> TankReading:
        """TankAway."""
        ...

    def ask(self, key: str, product: str) -> None:
        """Ask it to mix; it takes a key once. TankAway."""
        ...


class Tanks(Protocol):
    """Those of the plant, by the place where they stand."""

    def named(self, tank: str) -> Tank | None:
        """None: somebody starts it by hand."""
        ...

    def cleaned_between(self, tank: str) -> bool:
        """Between different products, and it is recorded."""
        ...


class NoTanks:
    """A plant whose tanks are all started by hand."""

    def named(self, tank: str) -> Tank | None:
        return None

    def cleaned_between(self, tank: str) -> bool:
        return False


@dataclass(frozen=True)
class TankContent:
    """What was made in a tank last."""

    tank: str
    product: str
    order_number: str
    cleaned_at: datetime | None
    cleaned_by: str | None


class TankRows(Protocol):
    """What happened in tanks."""

    def note(
        self,
        key: str,
        *,
        tank: str,
        order_number: str,
        state: str,
        why: str = "",
        reading: TankReading | None = None,
    ) -> tuple[str | None, TankRun, float]:
        """The state before, the row now, and for how many seconds nobody heard it.
        ``reading``: None means that it was silent."""
        ...

    def of_order(self, number: str) -> Sequence[TankRun]:
        """The newest first."""
        ...

    def content(self, tank: str) -> TankContent | None: ...

    def fill(self, tank: str, *, product: str, order_number: str) -> None: ...

    def clean(self, tank: str, *, by: str) -> None: ...
