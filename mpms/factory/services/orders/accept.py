"""Accept a manufacturing order: store it and tell the process that takes orders.

Both are one transaction, so a process that dies right after it leaves an order that is
known and told. Which signal that process waits for stands in its model only: it is the
one that leads to the work ``orders.next``.
"""

from __future__ import annotations

from mpms.domain.errors import MpmsError
from mpms.domain.instances.steps import Throw
from mpms.factory.domain.order_mail import OrderDraft
from mpms.factory.domain.orders import Order, OrderStatus
from mpms.factory.ports.store import Transaction
from mpms.ports.engine import Engine

NEXT_ORDER = "orders.next"  # the topic of the work that takes an order


def accept_order(
    tx: Transaction,
    engine: Engine,
    order: Order,
    *,
    by: str,
    held_by: str | None = None,
    why: str = "",
    draft: OrderDraft | None = None,
) -> None:
    """Add an order. OrderNumberTaken if its number is there already.

    One that waits for its release is told of with ``why``, and nothing is started.
    """
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
            **_recipe(draft),
        },
    )
    if order.status is OrderStatus.WAITING:
        data = {"order": order.number, "why": why}
        tx.events.append("order waits for release", actor=held_by or by, data=data)
    else:
        tell_order_ready(tx, engine)
    tx.wake()


def _recipe(draft: OrderDraft | None) -> dict[str, object]:
    """By which recipe it was ordered, as the catalogue had it then."""
    if draft is None or draft.recipe_digest is None:
        return {}
    said = {
        "name": draft.recipe or draft.product,
        "version": draft.recipe_version,
        "sha256": draft.recipe_digest,
        "batch": draft.batch,
    }
    return {"recipe": {key: value for key, value in said.items() if value is not None}}


def tell_order_ready(tx: Transaction, engine: Engine) -> None:
    """Whoever waits for an order need not wait for its timer."""
    names: set[str] = set()
    for definition_id in tx.deliveries.signalled():
        try:
            definition = tx.definitions.by_id(definition_id)
            names |= engine.signals_to(definition, NEXT_ORDER)
        except MpmsError:
            continue  # a model that cannot be read takes no orders
    for name in sorted(names):
        tx.deliveries.throw(Throw("signal", name, None, {}))
