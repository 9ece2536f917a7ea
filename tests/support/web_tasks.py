"""The task pages of the paint factory, whose robots arrive at once."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from uuid import uuid4

from mpms import assets
from mpms.domain.people.people import Role
from mpms.domain.tasks import FormTask
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackScale
from mpms.factory.domain.orders import Order, OrderLine
from tests.support.drawings import draw
from tests.support.site import Browser, Site

LINES = (
    OrderLine("RM-001", "Water", Decimal("10")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("10")),
)


class Hall(Site):
    """One factory with its pages."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, self.world, scale=LoopbackScale(lambda robot: 10.0)
        )
        self.worker = self.another_worker("by hand")

    def prepare(self) -> None:
        self.deploy_files(assets.shipped_models())

    def make(
        self, number: str = "MO-1", product: str = "White paint", *, start: int = 0
    ) -> FormTask:
        """An order under way; its first task. Another ``start`` is another place: one
        robot at a time is sent to each."""
        with self.uow() as tx:
            tx.orders.add(Order(number, product, LINES[start:]))
        instance_id = self.start("warehouse", number, order_number=number)
        return self.forms(instance_id)[0]

    def draw(
        self, *components: dict[str, Any], task: str = 'name="Weigh"', **variables: Any
    ) -> FormTask:
        """A process of one task with this form."""
        key = f"p{uuid4().hex[:8]}"
        form = {"id": f"{key}_form", "type": "default", "components": components}
        elements = (
            '<startEvent id="b"/><endEvent id="e"/>'
            f'<userTask id="ask" camunda:formKey="{key}_form" {task}/>'
        )
        self.deploy_files(
            draw(key, elements, "b ask", "ask e")
            | {f"{key}_form.form": json.dumps(form).encode()}
        )
        return self.forms(self.start_only(key, **variables))[0]

    def enrol(self) -> int:
        with self.uow() as tx:
            return tx.sessions.enrol(uuid4().hex, "T1", by="x")

    def at(
        self,
        login: str,
        role: Role = Role.WORKER,
        *,
        tablet_id: int | None = None,
        name: str | None = None,
        groups: tuple[str, ...] = ("worker",),
    ) -> Browser:
        """Somebody is signed in, maybe on an enrolled tablet."""
        self.person(login, role, name=name or login.capitalize(), groups=groups)
        return self.browser_of(login, tablet_id=tablet_id)
