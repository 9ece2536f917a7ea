"""What a load, its unloading and its return mean for stock and order.

From its place the material goes onto the robot, from there into the tank or back: two
moves each, so that whatever happens the sum over places, robots and tanks is what was
received.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from mpms.factory.domain.errors import StockMissing
from mpms.factory.domain.stock import (
    LotRefused,
    Move,
    MoveKind,
    Pick,
    PickState,
    kg_of,
    on_robot,
)
from mpms.factory.ports.store import Transaction
from mpms.factory.services.stock.move import grams_at, lock_lot, settle_state


def refuse_lot(
    tx: Transaction,
    pick: Pick,
    lot: str | None,
    *,
    grams: int | None,
    today: date,
) -> None:
    """LotRefused if this lot cannot be loaded for a pick; nothing without lots.

    What other orders were promised of the lot is not taken away from them; this
    order's own promise does not count.
    """
    if not tx.stock.with_lots([pick.material]):
        return
    if not lot:
        raise LotRefused("lot_missing")
    found = tx.stock.lock(lot)
    if found is None:
        raise LotRefused("lot_unknown", lot=lot)
    found.refuse_unless_usable(pick.material, today)
    there = grams_at(tx, lot, pick.place)
    wanted = pick.grams if grams is None else grams
    if there == 0:
        raise LotRefused("lot_elsewhere", lot=lot, place=pick.place)
    told = {"lot": lot, "wanted": f"{kg_of(wanted):f}"}
    if there < wanted:
        raise LotRefused("not_enough", kg=f"{kg_of(there):f}", **told)
    promised = tx.picks.promised([lot], without=pick.order_number)
    free = there - promised.get((lot, pick.place), 0)
    if lot != pick.lot and free < wanted:
        raise LotRefused("promised", kg=f"{kg_of(max(free, 0)):f}", **told)


def book_load(
    tx: Transaction,
    pick: Pick,
    *,
    lot: str | None,
    grams: int,
    robot: str,
    today: date,
    by: str,
) -> Pick:
    """The material lies on the robot. LotRefused."""
    kept = bool(tx.stock.with_lots([pick.material]))
    if kept:
        refuse_lot(tx, pick, lot, grams=grams, today=today)
    made = replace(
        pick,
        state=PickState.ON_ROBOT,
        robot=robot,
        loaded_lot=lot or None,
        loaded_place=pick.place,
        loaded_grams=grams,
        loaded_by=by,
    )
    if kept and lot and grams:
        tx.stock.move(
            [
                _move(pick, lot, pick.place, -grams, MoveKind.PICK, by),
                _move(pick, lot, on_robot(robot), grams, MoveKind.PICK, by),
            ]
        )
    tx.picks.save(made)
    _record(tx, made)
    return made


def book_use(tx: Transaction, pick: Pick, *, by: str) -> Pick:
    """What lies on the robot is in the tank now."""
    made = replace(pick, state=PickState.USED)
    if (booked := _booked(tx, pick)) is not None:
        lot, robot, grams = booked
        lock_lot(tx, lot)
        _require_on_robot(tx, lot, robot, grams)
        tx.stock.move([_move(pick, lot, on_robot(robot), -grams, MoveKind.USE, by)])
        settle_state(tx, lot, by=by)
    tx.picks.save(made)
    return made


def book_return(
    tx: Transaction, pick: Pick, *, place: str, grams: int, by: str
) -> Pick:
    """What lay on the robot is back at a place; a difference is a correction."""
    made = replace(pick, state=PickState.RETURNED)
    if (booked := _booked(tx, pick)) is not None:
        lot, robot, loaded = booked
        lock_lot(tx, lot)
        _require_on_robot(tx, lot, robot, loaded)
        moves = [
            _move(pick, lot, on_robot(robot), -loaded, MoveKind.RETURN, by),
            _move(pick, lot, place, loaded, MoveKind.RETURN, by),
        ]
        if grams != loaded:
            why, found = "weighed when it came back", grams - loaded
            found_less = _move(pick, lot, place, found, MoveKind.CORRECT, by)
            moves.append(replace(found_less, reason=why))
        tx.stock.move(moves)
        settle_state(tx, lot, by=by)
    tx.picks.save(made)
    _record(tx, made)
    return made


def on_the_way(picks: Sequence[Pick]) -> list[Pick]:
    """Those that lie on a robot."""
    return [pick for pick in picks if pick.state is PickState.ON_ROBOT]


def _record(tx: Transaction, changed: Pick) -> None:
    """What was loaded for a line: the sum of its part loads and their lots."""
    loaded = [
        pick
        for pick in tx.picks.of_order(changed.order_number)
        if pick.line == changed.line
        and pick.loaded_grams is not None
        and pick.state in {PickState.ON_ROBOT, PickState.USED}
    ]
    lots = list(dict.fromkeys(p.loaded_lot for p in loaded if p.loaded_lot))
    tx.orders.record_load(
        changed.order_number,
        changed.line,
        measured_kg=kg_of(sum(p.loaded_grams or 0 for p in loaded)) if loaded else None,
        lot=", ".join(lots) or None,
    )


def _move(
    pick: Pick, lot: str, place: str, grams: int, kind: MoveKind, by: str
) -> Move:
    return Move(lot, place, grams, kind, by, pick.order_number, pick.line)


def _booked(tx: Transaction, pick: Pick) -> tuple[str, str, int] | None:
    """Lot, robot and grams of its load; None: a material without lots moves nothing."""
    lot, robot, grams = pick.loaded_lot, pick.robot, pick.loaded_grams
    if not (lot and robot and grams):
        return None
    moved = tx.stock.moves(lot=lot, order_number=pick.order_number, limit=1)
    return (lot, robot, grams) if moved else None


def _require_on_robot(tx: Transaction, lot: str, robot: str, grams: int) -> None:
    there = grams_at(tx, lot, on_robot(robot))
    if there < grams:
        raise StockMissing(
            f"{kg_of(there)} kg of lot {lot} are on {robot}, not {kg_of(grams)} kg."
        )
