"""Manufacturing orders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from datetime import date
    from decimal import Decimal

    from mpms.factory.domain.orders import Order, OrderStatus


@dataclass(frozen=True)
class OnFloor:
    """What an order that is being made has in its tank and on its robot."""

    number: str
    product: str
    tank: str
    share: float  # of its materials in the tank
    robot: str | None
    load: str | None  # what lies on the robot
    stopped: bool


class Orders(Protocol):
    """Manufacturing orders."""

    def add(self, order: Order) -> None: ...  # OrderNumberTaken
    def get(self, number: str) -> Order: ...  # OrderUnknown
    def some(self, numbers: Iterable[str]) -> dict[str, Order]:
        """By number; those that do not exist are missing."""
        ...

    def lock(self, number: str) -> None:
        """Nobody else changes or begins it until the end of the transaction."""
        ...

    def change(self, number: str, *, priority: str, due: date | None) -> None: ...
    def take_off(self, number: str, kg: Sequence[Decimal]) -> None:
        """So much less of each of its lines."""
        ...

    def taken(self, number: str) -> bool: ...
    def next_new(self) -> Order | None:
        """The most urgent order that nobody works on, locked."""
        ...

    def assign(self, number: str, instance_id: str) -> bool:
        """Tie an order to its instance; False if it has one already."""
        ...

    def of_instance(self, instance_id: str) -> Order | None:
        """The order that an instance makes."""
        ...

    def reassign(self, number: str, instance_id: str) -> None:
        """Another instance goes on with an order."""
        ...

    def set_status(self, number: str, status: OrderStatus) -> OrderStatus:
        """Change the status and its times; return the old one."""
        ...

    def record_load(
        self,
        number: str,
        index: int,
        *,
        measured_kg: Decimal | None,
        lot: str | None,
    ) -> None:
        """What is loaded of a line now; None: nothing any more."""
        ...

    def record_next_load(
        self, number: str, material: str, *, measured_kg: float | None, lot: str | None
    ) -> tuple[str, Decimal] | None:
        """Keep what was weighed with the first line of this material that has none;
        its name and what it requires, None if there is no such line."""
        ...

    def link_secret(self, name: str) -> bytes:
        """What links to people without an account are signed with."""
        ...

    def listing(self, *, limit: int = 100) -> Sequence[Order]: ...
    def open_with(self, material: str) -> Sequence[str]:
        """The numbers of open orders that need a material."""
        ...

    def counts(self) -> dict[OrderStatus, tuple[int, int]]:
        """Open orders by status: how many, and how many of them are late."""
        ...

    def running(self, *, limit: int = 20) -> Sequence[tuple[str, str, str]]:
        """(number, product, instance id) of orders being made, last changed first."""
        ...

    def on_floor(self, *, limit: int = 50) -> Sequence[OnFloor]:
        """Those with most in their tank first."""
        ...
