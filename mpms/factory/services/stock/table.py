"""Lots as a table: what lies where, and what a table of lots would change.

A lot that nobody knows is received; of a known one state, expiry and weight at the
place become what the table says. A preview does all of it and takes it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from mpms.factory.domain.errors import StockMissing
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.order_mail.catalogue_changes import (
    Difference,
    FieldChange,
    changed_fields,
)
from mpms.factory.domain.order_mail.exchange import CellFault
from mpms.factory.domain.order_mail.numbers import plain
from mpms.factory.domain.stock import LotState, grams_of, kg_of, robot_of
from mpms.factory.domain.tables.kinds import Said, number_in, said_in
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.catalogue.exchange import Imported
from mpms.factory.services.stock.move import (
    LARGEST_G,
    StockRefused,
    change_lot,
    correct,
)
from mpms.factory.services.stock.receive import ReceiptRefused, receive
from mpms.services.instances.apply_repair import required

COLUMNS = (
    *("lot", "material", "place", "kg", "state", "expires_on", "supplier"),
    "supplier_lot",
)
STATES = {state.value for state in LotState}


class _Preview(Exception):
    """Takes everything back."""


def lots_table(tx: Transaction) -> list[Sequence[str]]:
    """Every lot at every place of the floor; those that are used up, without place."""
    at: dict[str, list[tuple[str, int]]] = {}
    for held in tx.stock.held():
        if robot_of(held.place) is None:
            at.setdefault(held.lot, []).append((held.place, held.grams))
    rows: list[Sequence[str]] = [COLUMNS]
    for lot in tx.stock.lots():
        expires_on = "" if lot.expires_on is None else lot.expires_on.isoformat()
        more = (lot.state.value, expires_on, lot.supplier, lot.supplier_lot)
        for place, grams in at.get(lot.lot, [("", 0)]):
            kg = plain(kg_of(grams)) if place else ""
            rows.append((lot.lot, lot.material, place, kg, *more))
    return rows


def import_lots(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    world: World,
    text: str,
    *,
    today: date,
    take: bool,
    by: str,
    reason: str,
) -> Imported:
    """Preview, or with ``take`` all of it if nothing is wrong. ReasonMissing."""
    why = required(reason) if take else "preview"
    said, faults = said_in(text, COLUMNS, ("lot",))
    if faults:
        return Imported([], faults)
    changes: list[Difference] = []
    try:
        with uow() as tx:
            work = _Work(tx, materials(tx).catalogue, world, today, by, why)
            seen: dict[tuple[str, str], int] = {}
            for each in said:
                key = each.get("lot"), each.get("place")
                if key in seen:
                    twice = str(seen[key])
                    faults.append(CellFault(each.row, "lot", "row_twice", twice))
                    continue
                seen[key] = each.row
                work.row(each, changes, faults)
            if faults or not take:
                raise _Preview
    except _Preview:
        return Imported(changes, faults)
    return Imported(changes, faults, version=0)


class _Work:
    """Writes row by row, in the caller's transaction."""

    def __init__(
        self,
        tx: Transaction,
        catalogue: Catalogue | None,
        world: World,
        today: date,
        by: str,
        why: str,
    ) -> None:
        self._tx, self._catalogue, self._world = tx, catalogue, world
        self._today, self._by, self._why = today, by, why

    def row(
        self, each: Said, changes: list[Difference], faults: list[CellFault]
    ) -> None:
        name, state = each.get("lot"), each.get("state")
        if state and state not in STATES:
            faults.append(CellFault(each.row, "state", "lot_state", state))
            return
        known = self._tx.stock.lot(name)
        if known is None:
            self._receive(each, changes, faults)
            return
        if each.get("material") not in ("", known.material):
            fault = CellFault(each.row, "material", "lot_material", known.material)
            faults.append(fault)
            return
        expires_on, wrong = _day(each.get("expires_on"))
        if wrong:
            faults.append(CellFault(each.row, "expires_on", "date", wrong))
            return
        new = change_lot(
            self._tx,
            name,
            state=LotState(state) if state else None,
            expires_on=expires_on,
            by=self._by,
            reason=self._why,
        )
        fields = changed_fields(
            {"state": known.state.value, "expires_on": str(known.expires_on or "")},
            {"state": new.state.value, "expires_on": str(new.expires_on or "")},
        )
        fields += self._weight(each, faults)
        if fields:
            changes.append(Difference("lot", name, known.material, "changed", fields))

    def _receive(
        self, each: Said, changes: list[Difference], faults: list[CellFault]
    ) -> None:
        state = each.get("state") or LotState.QUARANTINE.value
        try:
            made = receive(
                self._tx,
                self._catalogue,
                self._world,
                each.cells,
                today=self._today,
                by=self._by,
                reason=self._why,
                state=LotState(state),
            )
        except ReceiptRefused as refused:
            faults += [
                CellFault(each.row, fault.field, f"lot_{fault.code}", fault.value)
                for fault in refused.faults
            ]
            return
        told = {
            f"kg at {each.get('place')}": each.get("kg"),
            "state": made.state.value,
            "expires_on": str(made.expires_on or ""),
        }
        fields = changed_fields({}, told)
        changes.append(Difference("lot", made.lot, made.material, "added", fields))

    def _weight(self, each: Said, faults: list[CellFault]) -> tuple[FieldChange, ...]:
        """What lies at the place becomes what the table says."""
        place, kg = each.get("place"), each.get("kg")
        if not place and not kg:
            return ()
        if place not in self._world.places or place in self._world.tanks:
            faults.append(CellFault(each.row, "place", "place_unknown", place))
            return ()
        if not kg:
            return ()
        weight = number_in(kg)
        if not (weight.is_finite() and 0 <= weight <= Decimal(LARGEST_G) / 1000):
            faults.append(CellFault(each.row, "kg", "lot_weight"))
            return ()
        grams = grams_of(weight)
        try:
            more = correct(
                self._tx,
                each.get("lot"),
                place=place,
                grams=grams,
                by=self._by,
                reason=self._why,
            )
        except (StockRefused, StockMissing):
            faults.append(CellFault(each.row, "kg", "lot_weight"))
            return ()
        was, now = plain(kg_of(grams - more)), plain(kg_of(grams))
        return changed_fields({f"kg at {place}": was}, {f"kg at {place}": now})


def _day(text: str) -> tuple[date | None, str]:
    if not text:
        return None, ""
    try:
        return date.fromisoformat(text[:10]), ""
    except ValueError:
        return None, text[:20]
