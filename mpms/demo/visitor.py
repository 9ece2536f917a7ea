"""The visitor's own orders: they come from an address of his own.

The simulated worker leaves them alone, and the pages say that they wait for him.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpms.domain.tasks import FormTask
from mpms.factory.ports.store import Transaction, UnitOfWork

VISITOR = "visitor@example.com"
LATEST = 50
"""Orders that are looked at; a demo has few."""


def is_visitors(tx: Transaction, number: str | None) -> bool:
    """Tell whether a visitor has sent the order of this number."""
    mail = None if number is None else tx.mails.of_order(number)
    return mail is not None and VISITOR in mail[1:]


def own_orders(uow: UnitOfWork) -> Sequence[str]:
    """The newest first."""
    with uow() as tx:
        latest = tx.orders.listing(limit=LATEST)
        return [order.number for order in latest if is_visitors(tx, order.number)]


def waiting(uow: UnitOfWork) -> Sequence[FormTask]:
    """Forms that wait for a visitor."""
    with uow() as tx:
        return [t for t in tx.tasks.open() if is_visitors(tx, t.business_key)]
