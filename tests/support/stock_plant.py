"""Lots and stock of a plant over a real database."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from mpms.factory.domain.orders import Order, OrderLine
from mpms.factory.domain.stock import (
    Lot,
    LotState,
    Pick,
    grams_of,
    on_robot,
)
from mpms.factory.services.stock.move import receive_lot
from tests.support.factory import Factory

TODAY = date(2030, 5, 1)
LATER = TODAY + timedelta(days=90)


class StockPlant(Factory):
    """Receives lots, and looks at what lies where."""

    def receive(
        self,
        lot: str,
        material: str = "RM-001",
        *,
        kg: float = 100,
        place: str = "A",
        state: LotState = LotState.RELEASED,
        expires_on: date | None = LATER,
    ) -> None:
        with self.uow() as tx:
            receive_lot(
                tx,
                Lot(lot, material, state, expires_on),
                place=place,
                grams=grams_of(kg),
                by="gina",
                reason="delivery",
            )

    def order(self, number: str, *lines: tuple[str, float]) -> Order:
        """Store an order of these materials and kilograms."""
        made = Order(
            number,
            "Paint",
            tuple(OrderLine(code, code, Decimal(str(kg))) for code, kg in lines),
            customer="buyer@plant",
        )
        with self.uow() as tx:
            tx.orders.add(made)
        return made

    def stock(self) -> dict[tuple[str, str], int]:
        """(Lot, place) to grams, from the table itself."""
        return {
            (lot, place): grams
            for lot, place, grams in self.rows(
                "SELECT lot, place, grams FROM stock WHERE grams <> 0"
            )
        }

    def summed(self) -> dict[tuple[str, str], int]:
        """The same as the moves add up to."""
        return {
            (lot, place): grams
            for lot, place, grams in self.rows(
                "SELECT lot, place, sum(grams)::bigint FROM stock_moves"
                " GROUP BY lot, place HAVING sum(grams) <> 0"
            )
        }

    def on(self, robot: str) -> int:
        place = on_robot(robot)
        return sum(grams for (_, at), grams in self.stock().items() if at == place)

    def pick(self, number: str) -> Pick:
        with self.uow() as tx:
            return tx.picks.of_order(number)[0]
