"""A supervisor releases or blocks a lot, with a reason."""

from __future__ import annotations

from mpms.factory.domain.stock import Lot, LotState
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.stock.move import StockRefused, change_lot
from mpms.services.instances.apply_repair import required


def set_lot_state(
    uow: UnitOfWork, lot: str, state: str, *, by: str, reason: str
) -> Lot:
    """LotUnknown, ReasonMissing, StockRefused."""
    why = required(reason)
    if state not in {each.value for each in LotState}:
        raise StockRefused(f"{state!r} is no state of a lot.")
    with uow() as tx:
        return change_lot(tx, lot, state=LotState(state), by=by, reason=why)
