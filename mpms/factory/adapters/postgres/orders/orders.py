"""Manufacturing orders."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal

from mpms.adapters.postgres.database.statements import Repository, Row
from mpms.factory.domain.decisions import DECISION_FORM
from mpms.factory.domain.errors import OrderNumberTaken, OrderUnknown
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.factory.ports.orders.orders import OnFloor


class Orders(Repository):
    """Rows of ``orders`` and ``order_lines``."""

    def add(self, order: Order) -> None:
        self._statements.run("orders_lock")
        added = self._statements.run(
            "orders_insert",
            number=order.number,
            product=order.product,
            due=order.due,
            priority=order.priority,
            customer=order.customer,
            status=order.status.value,
            instance_id=order.instance_id,
            received_at=order.received_at,
            started_at=order.started_at,
            ended_at=order.ended_at,
        )
        if not added:
            raise OrderNumberTaken(f"An order {order.number} is there already.")
        self._statements.run(
            "orders_insert_lines",
            number=order.number,
            materials=[line.material for line in order.lines],
            names=[line.name for line in order.lines],
            required_kg=[line.required_kg for line in order.lines],
            lots=[line.lot for line in order.lines],
        )

    def get(self, number: str) -> Order:
        row = self._statements.row("orders_get", number=number)
        if row is None:
            raise OrderUnknown(f"There is no order {number}.")
        return _order(row)

    def some(self, numbers: Iterable[str]) -> dict[str, Order]:
        """By number; those that do not exist are missing."""
        rows = self._statements.rows("orders_some", numbers=list(numbers))
        return {row[0]: _order(row) for row in rows}

    def lock(self, number: str) -> None:
        self._statements.row("orders_hold", number=number)

    def change(self, number: str, *, priority: str, due: date | None) -> None:
        self._statements.run("orders_change", number=number, priority=priority, due=due)

    def take_off(self, number: str, kg: Sequence[Decimal]) -> None:
        self._statements.run("orders_take_off", number=number, kg=list(kg))

    def taken(self, number: str) -> bool:
        return self._statements.row("orders_taken", number=number) is not None

    def next_new(self) -> Order | None:
        """The most urgent order that nobody works on, locked.

        Whoever finds none waits for the signal of the next one. An order that is
        being added at this moment is waited for, else its signal would be thrown
        before anybody is seen to wait for it.
        """
        self._statements.run("orders_lock_shared")
        row = self._statements.row("orders_next_new")
        return None if row is None else self.get(row[0])

    def assign(self, number: str, instance_id: str) -> bool:
        """Tie an order to its instance; False if it has one already."""
        if self._statements.run(
            "orders_assign", number=number, instance_id=instance_id
        ):
            return True
        self.get(number)
        return False

    def of_instance(self, instance_id: str) -> Order | None:
        """The order that an instance makes."""
        row = self._statements.row("orders_of_instance", instance_id=instance_id)
        return None if row is None else self.get(row[0])

    def reassign(self, number: str, instance_id: str) -> None:
        """Another instance goes on with an order."""
        self._statements.run("orders_reassign", number=number, instance_id=instance_id)

    def set_status(self, number: str, status: OrderStatus) -> OrderStatus:
        """Change the status and its times; return the old one."""
        if status is OrderStatus.NEW:
            self._statements.run("orders_lock")
        row = self._statements.row(
            "orders_set_status",
            number=number,
            status=status.value,
            started=status is OrderStatus.IN_PROCESS,
            ended=status.ended,
        )
        if row is None:
            raise OrderUnknown(f"There is no order {number}.")
        return OrderStatus(row[0])

    def record_load(
        self, number: str, index: int, *, measured_kg: Decimal | None, lot: str | None
    ) -> None:
        """What is loaded for ``lines[index]`` now; None: nothing any more."""
        if not self._statements.run(
            "orders_record_load",
            number=number,
            line=index,
            measured_kg=measured_kg,
            lot=lot,
        ):
            raise OrderUnknown(f"Order {number} has no raw material {index + 1}.")

    def record_next_load(
        self, number: str, material: str, *, measured_kg: float | None, lot: str | None
    ) -> tuple[str, Decimal] | None:
        """Keep a load with the first line of this material that has none."""
        row = self._statements.row(
            "orders_record_next_load",
            number=number,
            material=material,
            measured_kg=measured_kg,
            lot=lot,
        )
        return None if row is None else (row[0], row[1])

    def link_secret(self, name: str) -> bytes:
        row = self._statements.row("link_secret", name=name)
        if row is None:
            made = secrets.token_bytes(32)
            self._statements.run("link_secret_make", name=name, secret=made)
            row = self._statements.row("link_secret", name=name)
        assert row is not None  # noqa: S101
        return bytes(row[0])

    def listing(self, *, limit: int = 100) -> Sequence[Order]:
        """The newest first."""
        return [
            _order(row) for row in self._statements.rows("orders_list", limit=limit)
        ]

    def open_with(self, material: str) -> Sequence[str]:
        """The numbers of open orders that need a material."""
        rows = self._statements.rows("orders_open_with", material=material)
        return [number for (number,) in rows]

    def counts(self) -> dict[OrderStatus, tuple[int, int]]:
        """Open orders by status: how many, and how many of them are late."""
        rows = self._statements.rows("orders_counts")
        return {OrderStatus(status): (open_, late) for status, open_, late in rows}

    def on_floor(self, *, limit: int = 50) -> Sequence[OnFloor]:
        rows = self._statements.rows(
            "orders_on_floor", decision_form=DECISION_FORM, limit=limit
        )
        return [OnFloor(*row) for row in rows]

    def running(self, *, limit: int = 20) -> Sequence[tuple[str, str, str]]:
        """(number, product, instance id) of orders being made, last changed first."""
        rows = self._statements.rows("orders_running", limit=limit)
        return [(number, product, instance) for number, product, instance in rows]


def _order(row: Row) -> Order:
    (
        number,
        product,
        due,
        priority,
        customer,
        status,
        received_at,
        started_at,
        ended_at,
        instance_id,
        *columns,
    ) = row
    lines = zip(*(column or [] for column in columns), strict=True)
    return Order(
        number=number,
        product=product,
        lines=tuple(OrderLine(*line) for line in lines),
        due=due,
        priority=priority,
        customer=customer,
        status=OrderStatus(status),
        received_at=received_at,
        started_at=started_at,
        ended_at=ended_at,
        instance_id=instance_id,
    )
