"""The pages of orders over real processes; robots and people are moved by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from mpms import assets
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackRobots, LoopbackScale, MemoryIntake
from mpms.factory.domain.goals import GoalReport
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.factory.ports.mail.mailbox import MailMessageId
from mpms.factory.ports.mail.mails import MailRecord
from mpms.factory.web.desk import FactoryDesk
from mpms.services.tasks.submit import submit_form
from tests.support.factory import paint_factory
from tests.support.fakes import CountingUnitOfWork
from tests.support.site import Site, row_of

SAMPLE = (
    OrderLine("RM-001", "Water", Decimal("310")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
)
ANSWERS: dict[str, dict[str, Any]] = {
    "load_material": {"confirmed": True, "lot": "L-2026-0042"},
    "unload_material": {"unloaded": True},
    "start_mixing": {"amounts_verified": True, "mixing_started": True},
}


class HeldRobots(LoopbackRobots):
    """Robots that do not arrive while they are held."""

    held = False

    def reports(self) -> list[GoalReport]:
        return [] if self.held else list(super().reports())


class Plant(Site):
    """One factory and its pages, whose transactions are counted."""

    def __init__(self, url: str) -> None:
        self.held_robots = HeldRobots(paint_factory())
        super().__init__(url, robots=self.held_robots)
        self.counted = CountingUnitOfWork(self.uow)
        self.scale = LoopbackScale(self._asked_for)
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow,
            self.advance,
            self.world,
            scale=self.scale,
            intake=MemoryIntake(self.uow),
        )
        self.worker = self.another_worker("by hand")
        self.mailed: list[bytes] = []
        self.mail_server_away = False
        self.mails = 0

    def prepare(self) -> None:
        self.deploy_files(assets.shipped_models())

    def desk(self, **changes: Any) -> FactoryDesk:
        usual = {
            "uow": self.counted,
            "hand_to_mail_server": self._take_mail,
            "orders_address": "orders@plant.example.com",
        }
        return super().desk(**(usual | changes))

    def _take_mail(self, raw: bytes) -> None:
        if self.mail_server_away:
            raise ConnectionRefusedError("nobody there")
        self.mailed.append(raw)

    # -- orders ---------------------------------------------------------------------

    def add(self, number: str, **order: Any) -> Order:
        """An order that nobody works on."""
        values: dict[str, Any] = {
            "product": "Matt white wall paint",
            "lines": SAMPLE,
            "customer": "buyer@example.com",
        }
        made = Order(number, **(values | order))
        with self.uow() as tx:
            tx.orders.add(made)
        return made

    def make(self, number: str, *, run: bool = True, **order: Any) -> str:
        """Store an order and start its process, tied to it as in production."""
        self.add(number, **order)
        instance_id = self.start_only(
            "warehouse", business_key=number, order_number=number
        )
        with self.uow() as tx:
            tx.orders.assign(number, instance_id)
            tx.orders.set_status(number, OrderStatus.IN_PROCESS)
        if run:
            self.worker.settle()
        return instance_id

    def add_mail(
        self,
        raw: bytes | None,
        *,
        number: str | None,
        outcome: str = "accepted",
        reasons: list[dict[str, str]] | None = None,
        sender: str = "buyer@example.com",
        message_id: str = "<1@example.com>",
    ) -> None:
        self.mails += 1
        with self.uow() as tx:
            tx.mails.add(
                MailRecord(
                    MailMessageId("orders", "INBOX", 1, self.mails),
                    sha256=f"{self.mails:064d}",
                    size_bytes=len(raw or b""),
                    raw=raw,
                    sender=sender,
                    message_id=message_id,
                    counts=outcome == "accepted",
                    outcome=outcome,
                    reasons=reasons or [],
                    order_number=number,
                )
            )

    # -- people and robots ------------------------------------------------------------

    def answer(
        self, answers: dict[str, Any] | None = None, by: str = "ada", **more: Any
    ) -> None:
        """Answer the oldest open form."""
        task = self.forms()[0]
        given = answers or ANSWERS[task.form or ""]
        submit_form(self.uow, self.advance, task.task_id, given, by=by, **more)
        self.worker.settle()

    def answer_everything(self) -> None:
        for _ in range(100):
            if not self.forms():
                return
            self.answer()
        raise AssertionError("forms without end")

    def _asked_for(self, robot: str) -> float:
        with self.uow() as tx:
            holder = tx.robot_holds.held()[robot]
        return float(self.variables(holder)["material"]["required_kg"])


def row_of_order(page: str, number: str) -> str:
    """Cut the row of an order out of the list, in which it stands once."""
    link = f">{number}</a>"
    assert page.count(link) == 1, number
    return row_of(page, link)
