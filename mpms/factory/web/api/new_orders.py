"""Orders decided by the API: made, released, refused."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from mpms.factory.services.orders.compose_mail import propose_number
from mpms.factory.services.orders.overview import day_of
from mpms.factory.services.orders.release import refuse_order, release_order
from mpms.factory.services.orders.take import take_order
from mpms.factory.web.api.orders import Number, OrderShape, section, shown
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Given, Shape
from mpms.web.api.values import WithReason
from mpms.web.rights import LEADERS

__all__ = ["section"]


class FreeNumber(Shape):
    number: str


class NewLine(Given):
    material: Annotated[str, Field(min_length=1, max_length=200)]
    amount: float = Field(gt=0, le=1e9)
    unit: Annotated[str, Field(max_length=20)] = "kg"
    lot: Annotated[str, Field(max_length=100)] | None = None


class NewOrder(Given):
    order: Annotated[str, Field(max_length=40, description="Such as MO-2026-0001.")]
    product: Annotated[str, Field(max_length=200)] | None = None
    due: date | None = None
    priority: Literal["low", "normal", "high", "urgent"] = "normal"
    recipe: Annotated[str, Field(max_length=200)] | None = None
    batch: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="How much to make by the recipe, such as 200 kg."
    )
    customer: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="Without it the name of the token."
    )
    lines: Annotated[list[NewLine], Field(max_length=100)] = Field(default=[])


@section.post(
    "/orders",
    LEADERS,
    status=201,
    example={
        "order": "MO-2026-0815",
        "product": "Sky blue",
        "lines": [{"material": "RM-001", "amount": 12.5, "unit": "kg"}],
    },
)
def create(call: Call, body: NewOrder) -> OrderShape:
    """Order something.

    The order is read by the same rules as a mail with this JSON attached: materials
    of the catalogue, known units, limits. Problems name every line that is wrong.
    """
    desk = call.desk
    stated = body.model_dump(mode="json", exclude_none=True, exclude={"customer"})
    if not stated["lines"]:
        del stated["lines"]
    number = take_order(
        desk.uow,
        desk.engine,
        desk.catalogue,
        stated,
        customer=body.customer or call.person.name,
        hold_above_kg=desk.hold_above_kg,
        by=call.by,
    )
    return shown(call, number)


@section.get("/order-numbers/next", LEADERS)
def next_number(call: Call) -> FreeNumber:
    """The number after the highest one of this year; nobody keeps it free."""
    today = day_of(call.desk.clock.now())
    return FreeNumber(number=propose_number(call.desk.uow, today))


@section.post("/orders/{number}/release", LEADERS)
def release(call: Call, number: Number) -> OrderShape:
    """Let an order that waits be made."""
    release_order(call.desk.uow, call.desk.engine, number, by=call.by)
    return shown(call, number)


@section.post("/orders/{number}/refuse", LEADERS)
def refuse(call: Call, number: Number, body: WithReason) -> OrderShape:
    """Cancel an order that waits; its sender is told why."""
    refuse_order(call.desk.uow, number, by=call.by, reason=body.reason)
    return shown(call, number)
