"""What the end of an order means for its tank.

What was put into it makes it no longer clean for another product, whether the order was
done or not. A tank that still mixes goes on, because only its own controller may stop
it; as nobody follows it any more, whoever leads is told to look.
"""

from __future__ import annotations

from mpms.factory.domain.orders import Order, OrderStatus
from mpms.factory.domain.stock import PickState
from mpms.factory.ports.store import Transaction
from mpms.services.incidents.open import open_incident

KIND = "tank"
BUSY = frozenset({"waiting", "asked", "accepted", "running", "silent"})
NOBODY_FOLLOWS = "the order has ended, and nobody follows the tank any more"


def leave_tank(tx: Transaction, order_number: str, status: OrderStatus) -> None:
    """Note what is in it, and say so if it mixes for nobody."""
    runs = tx.tanks.of_order(order_number)
    picks = tx.picks.of_order(order_number)
    if not runs and not any(pick.state is PickState.USED for pick in picks):
        return
    order = tx.orders.get(order_number)
    if tank := runs[0].tank if runs else _tank_of(tx, order):
        tx.tanks.fill(tank, product=order.product, order_number=order_number)
    for run in runs[:1]:
        if run.state not in BUSY:
            continue
        tx.tanks.note(
            run.key,
            tank=run.tank,
            order_number=order_number,
            state=run.state,
            why=NOBODY_FOLLOWS,
        )
        open_incident(
            tx,
            KIND,
            f"'{run.tank}' was asked to mix {order.product} for {order_number}, which"
            f" is {status.value} now, and nobody follows it any more. Look at the tank:"
            " let it finish or stop it at its panel.",
            actor=run.tank,
        )


def _tank_of(tx: Transaction, order: Order) -> str:
    """The one that its process works for; empty if that is not known."""
    if order.instance_id is not None:
        found = [tx.instances.get(order.instance_id)]
    else:
        found = list(tx.instances.by_business_key(order.number))
    for instance in found:
        variables = {} if instance.snapshot is None else instance.snapshot.variables
        if isinstance(tank := variables.get("tank"), str):
            return tank
    return ""
