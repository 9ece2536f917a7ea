"""Move stock: receive a lot, put it elsewhere, say what a stock-take found.

Whoever moves a lot has its row locked, so that what is checked is still true when the
move is written; that no place ever holds less than nothing is also a constraint.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from mpms.domain.errors import MpmsError
from mpms.factory.domain.errors import LotTaken, LotUnknown, StockMissing
from mpms.factory.domain.stock import Lot, LotState, Move, MoveKind, kg_of
from mpms.factory.ports.store import Transaction

LARGEST_G = 1_000_000_000  # a thousand tonnes


class StockRefused(MpmsError):
    """This cannot be moved like that."""


def receive_lot(
    tx: Transaction, lot: Lot, *, place: str, grams: int, by: str, reason: str
) -> None:
    """A new lot lies at a place. LotTaken, StockRefused."""
    _check(grams)
    if not tx.stock.add_lot(lot, by=by):
        raise LotTaken(f"There is a lot {lot.lot} already.")
    tx.stock.move([Move(lot.lot, place, grams, MoveKind.RECEIVE, by, reason=reason)])
    tx.events.append(
        "lot received",
        actor=by,
        data={
            "lot": lot.lot,
            "material": lot.material,
            "kg": str(kg_of(grams)),
            "place": place,
            "state": lot.state.value,
            "reason": reason,
        },
    )


def change_lot(
    tx: Transaction,
    lot: str,
    *,
    state: LotState | None = None,
    expires_on: date | None = None,
    by: str,
    reason: str,
) -> Lot:
    """Release, block or date a lot; what is not given stays. LotUnknown."""
    old = lock_lot(tx, lot)
    new = replace(
        old,
        state=old.state if state is None else state,
        expires_on=old.expires_on if expires_on is None else expires_on,
    )
    if new == old:
        return old
    tx.stock.change_lot(lot, state=new.state, expires_on=new.expires_on)
    tx.events.append(
        "lot changed",
        actor=by,
        data={
            "lot": lot,
            "old": {"state": old.state.value, "expires_on": _told(old.expires_on)},
            "new": {"state": new.state.value, "expires_on": _told(new.expires_on)},
            "reason": reason,
        },
    )
    tx.wake()
    return new


def transfer(
    tx: Transaction,
    lot: str,
    *,
    from_place: str,
    to_place: str,
    grams: int,
    by: str,
    reason: str,
) -> None:
    """Put some of a lot elsewhere. LotUnknown, StockMissing, StockRefused."""
    _check(grams)
    if from_place == to_place:
        raise StockRefused("Both places are the same.")
    lock_lot(tx, lot)
    require_there(tx, lot, from_place, grams)
    tx.stock.move(
        [
            Move(lot, from_place, -grams, MoveKind.TRANSFER, by, reason=reason),
            Move(lot, to_place, grams, MoveKind.TRANSFER, by, reason=reason),
        ]
    )
    tx.events.append(
        "stock moved",
        actor=by,
        data={
            "lot": lot,
            "kg": str(kg_of(grams)),
            "from": from_place,
            "to": to_place,
            "reason": reason,
        },
    )


def correct(
    tx: Transaction, lot: str, *, place: str, grams: int, by: str, reason: str
) -> int:
    """So much lies there, whatever was believed. Returns the difference.

    LotUnknown, StockRefused.
    """
    if not 0 <= grams <= LARGEST_G:
        raise StockRefused("The weight must be between 0 and 1000000 kg.")
    lock_lot(tx, lot)
    believed = grams_at(tx, lot, place)
    if grams == believed:
        return 0
    tx.stock.move(
        [Move(lot, place, grams - believed, MoveKind.CORRECT, by, reason=reason)]
    )
    tx.events.append(
        "stock corrected",
        actor=by,
        data={
            "lot": lot,
            "place": place,
            "old": str(kg_of(believed)),
            "new": str(kg_of(grams)),
            "reason": reason,
        },
    )
    settle_state(tx, lot, by=by)
    return grams - believed


def settle_state(tx: Transaction, lot: str, *, by: str) -> None:
    """A released lot of which nothing is left is used up, and the other way round."""
    now = lock_lot(tx, lot)
    left = sum(held.grams for held in tx.stock.held(lot=lot))
    if left == 0 and now.state is LotState.RELEASED:
        wanted = LotState.USED_UP
    elif left > 0 and now.state is LotState.USED_UP:
        wanted = LotState.RELEASED
    else:
        return
    change_lot(tx, lot, state=wanted, by=by, reason="what is left of it")


def lock_lot(tx: Transaction, lot: str) -> Lot:
    """LotUnknown."""
    found = tx.stock.lock(lot)
    if found is None:
        raise LotUnknown(f"There is no lot {lot}.")
    return found


def grams_at(tx: Transaction, lot: str, place: str) -> int:
    return sum(held.grams for held in tx.stock.held(lot=lot, place=place))


def require_there(tx: Transaction, lot: str, place: str, grams: int) -> None:
    """StockMissing."""
    there = grams_at(tx, lot, place)
    if there < grams:
        raise StockMissing(
            f"{kg_of(there)} kg of lot {lot} lie at {place}, not {kg_of(grams)} kg."
        )


def _check(grams: int) -> None:
    if not 0 < grams <= LARGEST_G:
        raise StockRefused("The weight must be above 0 and at most 1000000 kg.")


def _told(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
