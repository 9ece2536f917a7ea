"""What the end of an order means for what it was promised and for what is under way."""

from __future__ import annotations

from mpms.domain.instances.steps import Throw
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.store import Transaction
from mpms.factory.services.stock.leave_tank import leave_tank
from mpms.factory.services.stock.load import book_use, on_the_way

BRING_BACK = "material to bring back"  # the message that return_material waits for


def end_picks(
    tx: Transaction, order_number: str, status: OrderStatus, *, by: str
) -> None:
    """Nobody fetches the rest. What a robot still carries comes back from a cancelled
    order; an order completed by hand has taken it."""
    tx.picks.drop_planned(order_number)
    leave_tank(tx, order_number, status)
    carried = on_the_way(tx.picks.of_order(order_number))
    if status is not OrderStatus.CANCELLED:
        for pick in carried:
            book_use(tx, pick, by=by)
        return
    for pick in carried:
        said = {"order_number": order_number, "pick": pick.pick}
        tx.deliveries.throw(Throw("message", BRING_BACK, order_number, said))
