"""Receive a lot: everything that is wrong with it at once, then the move."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from mpms.domain.errors import MpmsError
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.stock import Lot, LotState, grams_of
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.services.stock.move import LARGEST_G, receive_lot

LOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ./_#-]{0,59}")

# Each fault with its sentence, by a word that pages translate.
FAULTS = {
    "material_unknown": "There is no material {value}.",
    "lot_form": "A lot has letters, digits and . / _ # -, at most 60: {value}.",
    "lot_taken": "There is a lot {value} already.",
    "place_unknown": "The floor has no place {value}.",
    "weight": "The weight must be above 0 and at most 1000000 kg.",
    "date": "{value} is no date; write it as 2027-03-31.",
    "expired": "This lot has expired already: {value}.",
}


@dataclass(frozen=True)
class LotFault:
    field: str
    code: str
    value: str = ""

    def __str__(self) -> str:
        return FAULTS[self.code].format(value=self.value)


class ReceiptRefused(MpmsError):
    """This cannot be received; each fault names its field."""

    def __init__(self, faults: list[LotFault]) -> None:
        self.faults = faults
        super().__init__(" ".join(map(str, faults)))


def receive(
    tx: Transaction,
    catalogue: Catalogue | None,
    world: World,
    asked: dict[str, Any],
    *,
    today: date,
    by: str,
    reason: str = "delivery",
    state: LotState = LotState.QUARANTINE,
) -> Lot:
    """``asked``: material, lot, kg, place, and if known supplier, supplier_lot and
    expires_on. ReceiptRefused."""
    said = {
        key: "" if (value := asked.get(key)) is None else str(value).strip()
        for key in ("material", "lot", "kg", "place", "supplier", "supplier_lot")
    }
    faults = []
    code, supplier = _material(catalogue, world, said["material"])
    if not code:
        faults.append(LotFault("material", "material_unknown", said["material"]))
    if LOT.fullmatch(said["lot"]) is None:
        faults.append(LotFault("lot", "lot_form", said["lot"]))
    elif tx.stock.lot(said["lot"]) is not None:
        faults.append(LotFault("lot", "lot_taken", said["lot"]))
    if said["place"] not in world.places or said["place"] in world.tanks:
        faults.append(LotFault("place", "place_unknown", said["place"]))
    grams = _grams(said["kg"])
    if not 0 < grams <= LARGEST_G:
        faults.append(LotFault("kg", "weight"))
    expires_on, fault = _expiry(asked.get("expires_on"), today)
    faults += [] if fault is None else [fault]
    if faults:
        raise ReceiptRefused(faults)
    lot = Lot(
        said["lot"],
        code,
        state,
        expires_on,
        said["supplier"] or supplier,
        said["supplier_lot"],
    )
    receive_lot(tx, lot, place=said["place"], grams=grams, by=by, reason=reason)
    return lot


def _material(catalogue: Catalogue | None, world: World, said: str) -> tuple[str, str]:
    """Its code and its usual supplier; a plant without a catalogue has its floor."""
    if catalogue is None:
        return (said, "") if said in world.material_places else ("", "")
    found = catalogue.by_code(said.upper()) or catalogue.by_name(said)
    return ("", "") if found is None else (found.code, found.supplier)


def _grams(kg: str) -> int:
    try:
        return grams_of(kg.replace(",", "."))
    except (ArithmeticError, ValueError):
        return 0


def _expiry(value: Any, today: date) -> tuple[date | None, LotFault | None]:
    if not value:
        return None, None
    try:
        day = value if isinstance(value, date) else date.fromisoformat(str(value)[:10])
    except ValueError:
        return None, LotFault("expires_on", "date", str(value)[:20])
    if day < today:
        return day, LotFault("expires_on", "expired", day.isoformat())
    return day, None
