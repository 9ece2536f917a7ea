"""What the API changes about an order: urgency, due date, parts, notes, its end."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from mpms.factory.services.orders import change
from mpms.factory.services.schedule.what_if import what_if
from mpms.factory.web.api.orders import Number, OrderShape, section, shown
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Given, Shape
from mpms.web.api.values import WithReason, shaped
from mpms.web.rights import DOERS, LEADERS

__all__ = ["section"]


class NewPlan(Given):
    priority: Literal["low", "normal", "high", "urgent"]
    due: date | None = None


class OrderNote(Given):
    text: Annotated[str, Field(min_length=1, max_length=500)]


class Share(Given):
    percent: Annotated[int, Field(ge=1, le=99)] = 50


class Part(Shape):
    number: str


class DifferenceShape(Shape):
    order: str
    product: str
    now_at: datetime | None
    then_at: datetime | None
    late_now: bool
    late_then: bool


class WhatIfShape(Shape):
    its: DifferenceShape | None
    others: list[DifferenceShape]


@section.put("/orders/{number}/plan", LEADERS)
def plan(call: Call, number: Number, body: NewPlan) -> OrderShape:
    """Another priority and due date."""
    change.change_order(
        call.desk.uow, number, by=call.by, priority=body.priority, due=body.due
    )
    return shown(call, number)


@section.post("/orders/{number}/what-if", LEADERS)
def if_planned(call: Call, number: Number, body: NewPlan) -> WhatIfShape:
    """What another priority and due date would do to all open orders."""
    desk = call.desk
    with desk.uow() as tx:
        found = what_if(
            tx,
            desk.world,
            desk.materials,
            number,
            priority=body.priority,
            due=body.due,
            now=desk.clock.now(),
        )
    its = None if found.its is None else shaped(DifferenceShape, [found.its])[0]
    return WhatIfShape(its=its, others=shaped(DifferenceShape, found.others))


@section.post("/orders/{number}/cancel", LEADERS)
def cancel(call: Call, number: Number, body: WithReason) -> OrderShape:
    """End an order and the process that makes it."""
    desk = call.desk
    change.cancel_order(desk.uow, desk.advance, number, by=call.by, reason=body.reason)
    return shown(call, number)


@section.post("/orders/{number}/notes", DOERS)
def note(call: Call, number: Number, body: OrderNote) -> None:
    """Keep a note with an order."""
    change.note_order(call.desk.uow, number, by=call.by, text=body.text)


@section.post("/orders/{number}/questions", DOERS)
def ask(call: Call, number: Number, body: OrderNote) -> None:
    """Ask for a decision about an order."""
    change.ask_decision(call.desk.uow, number, by=call.by, question=body.text)


@section.post("/orders/{number}/split", LEADERS, status=201)
def split(call: Call, number: Number, body: Share) -> Part:
    """Make a share of an order that nobody works on an order of its own."""
    desk = call.desk
    return Part(
        number=change.split_order(
            desk.uow, desk.engine, number, by=call.by, share_percent=body.percent
        )
    )
