"""A bench for what people do with a task: one form, or an order of the factory."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from mpms.domain.people.people import Person, Role
from mpms.domain.tasks import FormTask
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackScale
from mpms.factory.domain.orders import Order, OrderLine
from tests.support.bench import Bench
from tests.support.drawings import draw

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
FORM = {
    "id": "weigh",
    "type": "default",
    "components": [
        {"type": "number", "key": "kg", "label": "Kg", "validate": {"required": True}},
        {"type": "textfield", "key": "note", "label": "Note"},
        {"type": "photo", "key": "photo", "label": "Photo"},
    ],
}
SPILLED = '<error id="spilled" name="Something was spilled" errorCode="Spilled"/>'
ELEMENTS = """
<startEvent id="begin"/>
<userTask id="ask" name="Weigh the sack" camunda:formKey="weigh" {groups}/>
<userTask id="next" name="Tidy up"/><endEvent id="end"/>"""
CAUGHT = """
<boundaryEvent id="spill" attachedToRef="ask"><errorEventDefinition errorRef="spilled"
    camunda:errorCodeVariable="code" camunda:errorMessageVariable="why"/>
</boundaryEvent>
<userTask id="clean" name="Clean up"/><endEvent id="cleaned"/>"""
WAYS = ("begin ask", "ask next", "next end")
CAUGHT_WAYS = ("spill clean", "clean cleaned")
LINES = (
    OrderLine("RM-001", "Water", Decimal("10")),
    OrderLine("RM-002", "Titanium dioxide", Decimal("10")),
)


class WeighingShop(Bench):
    """People are made on demand; every scale shows what is wanted."""

    def __init__(self, url: str) -> None:
        super().__init__(url, now=NOON)
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, self.world, scale=LoopbackScale(lambda robot: 10.0)
        )
        self.worker = self.another_worker("of the factory")

    def deploy(self, *, caught: bool = False, groups: str = "") -> None:
        """The process of one form; its error can be caught, its form be a group's."""
        named = f'camunda:candidateGroups="{groups}"' if groups else ""
        elements = ELEMENTS.format(groups=named) + (CAUGHT if caught else "")
        ways = (*WAYS, *CAUGHT_WAYS) if caught else WAYS
        model = draw("weighing", elements, *ways, declared=SPILLED)
        self.deploy_files(model | {"weigh.form": json.dumps(FORM).encode()})

    def weigh(self, business_key: str | None = None, **variables: Any) -> FormTask:
        """Start the process of one form; return that form."""
        started = self.start_only("weighing", business_key=business_key, **variables)
        return self.forms(started)[0]

    def make(self, number: str, process: str = "warehouse") -> str:
        """An order of two materials under way in the shipped process.

        The shipped models must be deployed already.
        """
        with self.uow() as tx:
            tx.orders.add(Order(number, "White paint", LINES))
        return self.start(process, business_key=number, order_number=number)

    def person(
        self,
        login: str,
        role: Role = Role.WORKER,
        groups: tuple[str, ...] = ("worker",),
    ) -> Person:
        with self.uow() as tx:
            found = tx.people.get(login)
            return found or tx.people.add(
                login, login.capitalize(), role, groups=groups
            )
