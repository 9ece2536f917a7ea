"""What services need of the rows of lots, stock and picks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Protocol

from mpms.factory.domain.stock import Held, Lot, LotState, Move, Pick


class Stock(Protocol):
    """Rows of ``lots``, ``stock_moves`` and ``stock``."""

    def add_lot(self, lot: Lot, *, by: str) -> bool:
        """False if there is a lot of this name already."""
        ...

    def lot(self, lot: str) -> Lot | None: ...
    def lock(self, lot: str) -> Lot | None:
        """The lot, which nobody else moves until this transaction ends."""
        ...

    def change_lot(
        self, lot: str, *, state: LotState, expires_on: date | None
    ) -> None: ...
    def lots(self, material: str | None = None) -> Sequence[Lot]:
        """Those that are not used up first, then by expiry."""
        ...

    def move(self, moves: Iterable[Move]) -> None:
        """Write these and change what lies where.

        StockMissing if a place would hold less than nothing.
        """
        ...

    def held(
        self, *, lot: str | None = None, place: str | None = None
    ) -> Sequence[Held]:
        """What lies where; places with nothing are missing."""
        ...

    def lots_of(self, materials: Iterable[str]) -> Sequence[tuple[Lot, Held]]:
        """What lies of these materials at places of the floor, robots left out."""
        ...

    def with_lots(self, materials: Iterable[str]) -> set[str]:
        """Those of these materials of which there ever was a lot."""
        ...

    def totals(self, today: date) -> dict[str, tuple[int, int]]:
        """Material to grams at places: of usable lots, and of all lots."""
        ...

    def told_short(
        self, kind: str, *, by: str, aside_s: float
    ) -> Sequence[tuple[int, str, bool]]:
        """(Id, message, open) of incidents about what runs short: open ones, and those
        that others than ``by`` have put aside so long ago at most."""
        ...

    def lock_short(self) -> None:
        """Nobody else tells what runs short until this transaction ends."""
        ...

    def moves(
        self,
        *,
        lot: str | None = None,
        order_number: str | None = None,
        limit: int = 200,
    ) -> Sequence[Move]:
        """The newest first."""
        ...


class Picks(Protocol):
    """Rows of ``order_picks``."""

    def of_order(self, order_number: str) -> Sequence[Pick]: ...
    def of_orders(self, order_numbers: Iterable[str]) -> Sequence[Pick]: ...
    def replace(self, order_number: str, picks: Sequence[Pick]) -> None:
        """These instead of those that are still planned."""
        ...

    def save(self, pick: Pick) -> None: ...
    def drop_planned(self, order_number: str) -> int:
        """Nobody fetches the rest any more; how many those were."""
        ...

    def promised(
        self, lots: Iterable[str], *, without: str | None = None
    ) -> dict[tuple[str, str], int]:
        """(Lot, place) to grams that open orders, but for one, have been promised."""
        ...

    def carried(self, robot: str) -> Sequence[Pick]:
        """What lies on a robot."""
        ...

    def carriers(self) -> dict[str, str]:
        """Robot to the order whose material lies on it."""
        ...

    def left_over(self) -> Sequence[Pick]:
        """What lies on robots of ended orders, and no process brings back."""
        ...

    def told_left_over(self, kind: str) -> Sequence[tuple[int, str]]:
        """(Id, message) of the open incidents of this kind."""
        ...

    def lock_left_over(self) -> None:
        """Nobody else tells of such loads until this transaction ends."""
        ...

    def answered_before(self, instance_id: str, task_id: str) -> str | None: ...
    def last_answer_by(self, instance_id: str) -> str | None:
        """Who answered the last form of a process."""
        ...

    def plan_times(self, times: Iterable[tuple[str, int, datetime, datetime]]) -> None:
        """(Order, pick, from, to) as planned now."""
        ...
