"""A material that runs short is an incident until enough is there again."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from mpms.factory.domain.order_mail import Catalogue, Material
from mpms.factory.domain.stock import Lot, LotState
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.stock.move import change_lot, correct, receive_lot
from mpms.factory.services.stock.watch_stock import KIND, WatchStock
from mpms.services.incidents.close import close_incident
from tests.support.stock_plant import StockPlant

WATER = Material("RM-001", "Water", (), Decimal(900), minimum_kg=Decimal(100))
CHALK = Material("RM-003", "Chalk", (), Decimal(900), minimum_kg=Decimal(50))
ORDERED = replace(WATER, reorder_kg=Decimal(400), supplier="Works")


def look(plant: StockPlant, *materials: Material) -> list[tuple[str, str | None]]:
    """What is open and what was closed, after a worker's look."""
    current = CurrentCatalogue(lambda: Catalogue(materials or (ORDERED, CHALK)))
    WatchStock(plant.uow, current, plant.clock)()
    return plant.rows(
        f"SELECT message, resolved_by FROM incidents WHERE kind = '{KIND}' ORDER BY id"
    )


def receive(plant: StockPlant, lot: str, grams: int, state: LotState) -> None:
    with plant.uow() as tx:
        receive_lot(
            tx,
            Lot(lot, "RM-001", state),
            place="A",
            grams=grams,
            by="gina",
            reason="delivery",
        )


def test_it_is_told_once_closed_when_stock_is_back_and_told_again(
    plant: StockPlant,
) -> None:
    assert look(plant) == []  # nothing of it was ever kept by lots
    receive(plant, "W-1", 120_000, LotState.RELEASED)
    assert look(plant) == []
    with plant.uow() as tx:
        correct(tx, "W-1", place="A", grams=99_999, by="gina", reason="count")
    ((words, closed),) = look(plant)
    assert words == (
        "'RM-001' Water: less than 100 kg may be used, which should always be there."
        " Order 400 kg from Works."
    )
    assert closed is None
    assert len(look(plant)) == 1
    receive(plant, "W-2", 400_000, LotState.QUARANTINE)
    assert look(plant) == [(words, None)]  # it may not be used yet
    with plant.uow() as tx:
        change_lot(tx, "W-2", state=LotState.RELEASED, by="sofia", reason="good")
    assert look(plant) == [(words, "worker")]
    with plant.uow() as tx:
        change_lot(tx, "W-2", state=LotState.BLOCKED, by="sofia", reason="clumps")
    assert look(plant) == [(words, "worker"), (words, None)]


def test_who_has_ordered_it_puts_the_incident_aside_for_a_day(
    plant: StockPlant,
) -> None:
    receive(plant, "W-1", 1_000, LotState.RELEASED)
    ((words, _),) = look(plant, WATER)
    assert "Order" not in words
    ((number,),) = plant.rows("SELECT id FROM incidents")
    close_incident(plant.uow, number, by="sofia", note="ordered, comes on Monday")
    assert look(plant, WATER) == [(words, "sofia")]
    plant.rows("UPDATE incidents SET resolved_at = resolved_at - interval '2 days'")
    assert look(plant, WATER) == [(words, "sofia"), (words, None)]
