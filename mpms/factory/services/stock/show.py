"""What lies where, and what runs short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from mpms.factory.domain.errors import LotUnknown
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.stock import Lot, Move, kg_of, robot_of
from mpms.factory.ports.store import Transaction

SOON_DAYS = 30


@dataclass(frozen=True)
class StockRow:
    """A lot at a place."""

    material: str
    name: str
    lot: str
    place: str
    robot: str | None  # which carries it
    kg: Decimal
    state: str
    expires_on: date | None
    expired: bool
    expires_soon: bool


@dataclass(frozen=True)
class Short:
    """A material of which less may be used than there should always be."""

    material: str
    name: str
    usable_kg: Decimal
    minimum_kg: Decimal
    reorder_kg: Decimal | None
    supplier: str


@dataclass(frozen=True)
class StockShown:
    rows: Sequence[StockRow]
    short: Sequence[Short]
    lots: Sequence[str]


@dataclass(frozen=True)
class LotShown:
    lot: Lot
    name: str
    rows: Sequence[StockRow]
    moves: Sequence[Move]


def show_stock(
    tx: Transaction, catalogue: Catalogue | None, *, today: date, find: str = ""
) -> StockShown:
    """Everything, or what holds these words in code, name, lot or place."""
    lots = {lot.lot: lot for lot in tx.stock.lots()}
    names = _names(catalogue)
    rows = [
        _row(lots[held.lot], held.place, held.grams, names, today)
        for held in tx.stock.held()
        if held.lot in lots
    ]
    wanted = find.casefold()
    shown = [
        row
        for row in rows
        if wanted in f"{row.material} {row.name} {row.lot} {row.place}".casefold()
    ]
    shown.sort(key=lambda row: (row.material, row.expires_on or date.max, row.lot))
    return StockShown(shown, runs_short(tx, catalogue, today=today), sorted(lots))


def runs_short(
    tx: Transaction, catalogue: Catalogue | None, *, today: date
) -> Sequence[Short]:
    """Materials kept by lots, with a minimum of which less may be used now."""
    if catalogue is None:
        return []
    watched = [m for m in catalogue.materials if m.minimum_kg is not None]
    kept = tx.stock.with_lots(m.code for m in watched) if watched else set()
    watched = [m for m in watched if m.code in kept]
    totals = tx.stock.totals(today) if watched else {}
    found = []
    for material in watched:
        usable = kg_of(totals.get(material.code, (0, 0))[0])
        least = material.minimum_kg or Decimal(0)
        if usable < least:
            found.append(
                Short(
                    material.code,
                    material.name,
                    usable,
                    least,
                    material.reorder_kg,
                    material.supplier,
                )
            )
    return found


def show_lot(
    tx: Transaction, catalogue: Catalogue | None, lot: str, *, today: date
) -> LotShown:
    """LotUnknown."""
    found = tx.stock.lot(lot)
    if found is None:
        raise LotUnknown(f"There is no lot {lot}.")
    names = _names(catalogue)
    rows = [
        _row(found, held.place, held.grams, names, today)
        for held in tx.stock.held(lot=lot)
    ]
    name = names.get(found.material, "")
    return LotShown(found, name, rows, tx.stock.moves(lot=lot))


def _names(catalogue: Catalogue | None) -> dict[str, str]:
    known = () if catalogue is None else catalogue.materials
    return {material.code: material.name for material in known}


def _row(
    lot: Lot, place: str, grams: int, names: dict[str, str], today: date
) -> StockRow:
    left = None if lot.expires_on is None else (lot.expires_on - today).days
    return StockRow(
        lot.material,
        names.get(lot.material, ""),
        lot.lot,
        place,
        robot_of(place),
        kg_of(grams),
        lot.state.value,
        lot.expires_on,
        lot.expired(today),
        left is not None and 0 <= left <= SOON_DAYS,
    )
