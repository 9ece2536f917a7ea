"""The paint factory without hardware: real PostgreSQL, everything else moved by hand.

Time stands still until a test moves it, robots arrive when the worker looks, and the
worker runs in the test's own thread, so every test sees the same order of events.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from mpms.domain.history.events import Cursor, Event
from mpms.domain.tasks import FormTask
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackRobots, LoopbackScale, MemoryIntake
from mpms.factory.domain.orders import Order, OrderLine
from mpms.factory.ports.tanks import Tanks
from tests.support.bench import Bench
from tests.support.factory import paint_factory

SAMPLE = (
    OrderLine("RM-001", "Water", Decimal("310")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
    OrderLine("RM-003", "Calcium carbonate", Decimal("240")),
)
ANSWERS: dict[str, dict[str, Any]] = {
    "load_material": {"confirmed": True, "lot": "L-7"},
    "unload_material": {"unloaded": True},
    "start_mixing": {"amounts_verified": True, "mixing_started": True},
}


class PaintFactory(Bench):
    """The shipped models at work; they must be deployed already."""

    robots: LoopbackRobots

    def __init__(self, url: str) -> None:
        super().__init__(url, robots=LoopbackRobots(paint_factory()))
        self.scale = LoopbackScale(self._asked_for)
        self.intake = MemoryIntake(self.uow)
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, self.world, scale=self.scale, intake=self.intake
        )
        self.worker = self.another_worker("of the factory")

    def use_tanks(self, tanks: Tanks) -> None:
        """The same plant with these tanks."""
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow,
            self.advance,
            self.world,
            scale=self.scale,
            intake=self.intake,
            tanks=tanks,
        )
        self.worker = self.another_worker("with tanks")

    # -- orders ------------------------------------------------------------------------

    def order(
        self,
        number: str,
        lines: tuple[OrderLine, ...] = SAMPLE,
        product: str = "Matt white wall paint",
    ) -> Order:
        return Order(number, product, lines, customer="buyer@plant")

    def make(self, number: str, process: str = "warehouse", **order: Any) -> str:
        """Store an order, start its process at once and let it run."""
        with self.uow() as tx:
            tx.orders.add(self.order(number, **order))
        return self.start(process, business_key=number, order_number=number)

    def send_mail(self, *orders: Order) -> None:
        for order in orders:
            self.intake.post(order)
        self.throw("message", "mailbox changed")

    # -- people ------------------------------------------------------------------------

    def form(self, element: str, instance_id: str | None = None) -> FormTask:
        """The one open form of an element."""
        found = [t for t in self.forms(instance_id) if t.element == element]
        assert len(found) == 1, (element, [t.element for t in self.forms()])
        return found[0]

    def sees(self, element: str) -> dict[str, Any]:
        """What the form of an element can show."""
        task = self.form(element)
        with self.uow() as tx:
            instance = tx.instances.get(task.instance_id)
            definition = tx.definitions.by_id(instance.definition_id)
        assert instance.snapshot is not None
        return self.engine.visible(definition, instance.snapshot, task.task_id)

    def confirm(self, element: str, instance_id: str | None = None) -> None:
        self.submit(self.form(element, instance_id).task_id, ANSWERS[element])

    def confirm_everything(self, limit: int = 1000) -> None:
        """Answer every form until none is open."""
        for _ in range(limit):
            tasks = self.forms()
            if not tasks:
                return
            self.submit(tasks[0].task_id, ANSWERS[tasks[0].form or ""])
        raise AssertionError("forms without end")

    # -- what one sees -----------------------------------------------------------------

    def history(self, instance_id: str | None = None) -> list[Event]:
        """Every line, read from the table itself.

        The stream that pages follow holds lines back while any transaction of the
        server runs, also one of its own housekeeping.
        """
        rows = self.rows(
            "SELECT transaction::text::bigint, id, at, kind, actor, instance_id::text,"
            " element, task_id::text, data FROM events ORDER BY id"
        )
        lines = [Event(Cursor(row[0], row[1]), *row[2:]) for row in rows]
        return [e for e in lines if instance_id in (None, e.instance_id)]

    def elements(self, instance_id: str, kind: str = "left") -> list[str]:
        """The elements that a kind of event names, in order."""
        return [
            line.element
            for line in self.history(instance_id)
            if line.kind == kind and line.element
        ]

    def open_goals(self) -> int:
        rows = self.rows("SELECT count(*) FROM goals WHERE state IN ('new', 'sent')")
        return int(rows[0][0])

    def _asked_for(self, robot: str) -> float:
        with self.uow() as tx:
            holder = tx.robot_holds.held()[robot]
        return float(self.variables(holder)["material"]["required_kg"])
