"""What a customer sees of an order through the link in its confirmation.

How far it is and when it is expected, at the end its certificate; nothing else of the
plant: no people, robots, places or other orders.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mpms.factory.domain.customer_links import read_link, write_link
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.domain.worlds import World
from mpms.factory.ports.documents import Documents
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.orders.overview import find_order
from mpms.factory.services.schedule.of_order import plan_of

LINKS = "orders"
VALID = timedelta(days=90)
DONE = frozenset({OrderStatus.DONE, OrderStatus.COMPLETED_MANUALLY})


@dataclass(frozen=True)
class Followed:
    """One order as its customer sees it."""

    number: str
    product: str
    status: OrderStatus
    loaded: int
    lines: int
    due: date | None
    expected_at: datetime | None
    ended_at: datetime | None
    certificate: bool

    @property
    def share(self) -> int:
        """Per cent of the way; mixing is the last tenth."""
        if self.status in DONE:
            return 100
        return round(90 * self.loaded / self.lines) if self.lines else 0


def follow_path(tx: Transaction, number: str) -> str:
    """The path of the page, with a new link that is valid for three months."""
    secret = tx.orders.link_secret(LINKS)
    return f"/follow/{write_link(secret, number, datetime.now(UTC) + VALID)}"


def follow_order(
    uow: UnitOfWork,
    world: World,
    materials: CurrentCatalogue,
    link: str,
    *,
    now: datetime,
) -> Followed:
    """LinkInvalid, LinkExpired, OrderUnknown."""
    with uow() as tx:
        number = read_link(tx.orders.link_secret(LINKS), link, now)
        order = find_order(tx, number, now=now)
        expected_at = None
        if order.row.status in {OrderStatus.NEW, OrderStatus.IN_PROCESS}:
            plan = plan_of(tx, world, materials, number, now=now)
            expected_at = None if plan is None else plan.ends_at
        return Followed(
            number,
            order.row.product,
            order.row.status,
            order.progress.loaded,
            order.progress.lines,
            order.row.due,
            expected_at,
            order.row.ended_at,
            order.row.status is OrderStatus.DONE and tx.records.head(number).lines > 0,
        )


def certificate_of(
    uow: UnitOfWork,
    documents: Documents,
    number: str,
    *,
    texts: dict[str, str],
    made_on: str,
) -> bytes:
    """What was asked for and what was weighed, with the digest of the batch record.
    DocumentsMissing, DocumentFailed."""
    with uow() as tx:
        order, head = tx.orders.get(number), tx.records.head(number)
        lines = tx.order_views.lines(number)
    return documents.pdf(
        "certificate",
        {
            "number": number,
            "product": order.product,
            "customer": order.customer,
            "made_on": made_on,
            "digest": head.hash,
            "lines": [
                {
                    "name": line.name,
                    "required": f"{line.required_kg:.3f}",
                    "weighed": ""
                    if line.measured_kg is None
                    else f"{line.measured_kg:.3f}",
                    "lot": line.loaded_lot or "",
                }
                for line in lines
            ],
            "texts": texts,
        },
        {},
    )
