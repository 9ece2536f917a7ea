"""Store a manufacturing order and let the waiting process know, in one transaction."""

from __future__ import annotations

from mpms.domain.orders import Order
from mpms.ports.store import Transaction


def accept_order(tx: Transaction, order: Order, *, by: str) -> None:
    """Add an order. OrderNumberTaken if its number is there already."""
    tx.orders.add(order)
    tx.events.append(
        "order accepted",
        actor=by,
        data={
            "order": order.number,
            "product": order.product,
            "lines": [
                {"material": line.material, "kg": str(line.required_kg)}
                for line in order.lines
            ],
        },
    )
    tx.wake()
