"""Orders by the API: the same list and story as on the pages."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.orders.views import (
    AttachmentRow,
    DriveRow,
    MailRow,
    OrderFilter,
    OrderPlace,
)
from mpms.factory.services.mail.show import raw_mail
from mpms.factory.services.orders.overview import (
    CAP,
    OrderInList,
    day_of,
    find_order,
    list_orders,
)
from mpms.factory.services.orders.page import (
    LineOnPage,
    open_attachment,
    show_order,
    show_timeline,
)
from mpms.factory.web.desk import Call
from mpms.web.api.operation import File, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import (
    Counted,
    Page,
    Paged,
    Text,
    instant,
    number_of,
    place_in,
    shaped,
)
from mpms.web.rights import EVERYBODY, LEADERS

section = Section("Orders", "What customers want made.")

Number = Annotated[
    str, Field(min_length=1, max_length=100, description="The number of the order.")
]
AttachmentId = Annotated[UUID, Field(description="Its id.")]
IMAGES = ("image/jpeg", "image/png", "image/webp")


class Progress(Shape):
    loaded: int
    lines: int
    loaded_kg: float
    required_kg: float


class Awaited(Shape):
    """What the order waits for, the most important first."""

    kind: str
    task_id: str | None = None
    element: str | None = None
    name: str | None = None
    robot: str | None = None
    place: str | None = None
    detail: str | None = None
    since_at: datetime | None = None


class OrderShape(Shape):
    number: str
    product: str
    customer: str
    status: OrderStatus
    priority: str
    received_at: datetime
    due: date | None
    started_at: datetime | None
    ended_at: datetime | None
    instance_id: str | None
    progress: Progress
    late: bool
    stuck: bool
    expected_end_at: datetime | None
    waits: list[Awaited]


@like(LineOnPage)
class OrderLineShape(Shape):
    difference_kg: float | None


@like(DriveRow, without="inferred")
class DriveShape(Shape): ...


@like(AttachmentRow)
class AttachmentShape(Shape): ...


@like(MailRow, without="order_number")
class MailShape(Shape): ...


class OrderStory(OrderShape):
    lines: list[OrderLineShape]
    drives: list[DriveShape]
    attachments: list[AttachmentShape]
    mail: MailShape | None
    usual_s: float | None


class HistoryShape(Shape):
    id: int
    at: datetime
    kind: str
    actor: str
    element: str | None
    step: str | None
    instance_id: str | None
    data: dict[str, Any]


class OrderQuery(Paged):
    status: list[OrderStatus] = Field(default=[], description="One of these.")
    open: bool = Field(default=False, description="Only those that are not ended.")
    late: bool = Field(default=False, description="Only those due before today.")
    stuck: bool = Field(default=False, description="Only those that need a person.")
    text: Text = Field(
        default="", description="Somewhere in the number, product or customer."
    )


def _place(text: str) -> OrderPlace:
    at, _, number = text.partition("~")
    return OrderPlace(instant(at), number)


def _order(found: OrderInList) -> dict[str, Any]:
    row = found.row
    return {
        **{name: getattr(row, name) for name in _PLAIN},
        "progress": found.progress,
        "late": found.is_late,
        "stuck": found.is_stuck,
        "expected_end_at": found.expected_end_at,
        "waits": [
            Awaited(kind=w.kind)
            if w.row is None
            else Awaited(
                kind=w.kind,
                task_id=w.row.task_id,
                element=w.row.element,
                name=w.row.name,
                robot=w.row.robot,
                place=w.row.place,
                detail=w.row.detail,
                since_at=w.row.since_at,
            )
            for w in found.waits
        ],
    }


_PLAIN = (
    *("number", "product", "customer", "status", "priority", "received_at", "due"),
    *("started_at", "ended_at", "instance_id"),
)


@section.get("/orders", EVERYBODY)
def list_all(call: Call, query: OrderQuery) -> Counted[OrderShape]:
    """Orders, the newest first."""
    now = call.desk.clock.now()
    wanted = OrderFilter(
        open_only=query.open,
        statuses=tuple(query.status) or None,
        due_before=day_of(now) if query.late else None,
        stuck=query.stuck,
        text=query.text,
    )
    found = list_orders(
        call.desk.uow,
        wanted,
        now=now,
        below=place_in(query.cursor, _place),
        limit=query.limit,
    )
    below = found.below
    return Counted[OrderShape](
        items=[OrderShape(**_order(order)) for order in found.orders],
        next=(
            None if below is None else f"{below.received_at.isoformat()}~{below.number}"
        ),
        found=found.found,
        cap=CAP,
    )


@section.get("/orders/{number}", EVERYBODY)
def one(call: Call, number: Number) -> OrderStory:
    """One order with its materials, drives, photos and mail."""
    desk = call.desk
    found = show_order(desk.uow, desk.engine, number, now=desk.clock.now())
    return OrderStory(
        **_order(found.order),
        lines=shaped(OrderLineShape, found.lines),
        drives=shaped(DriveShape, found.drives),
        attachments=shaped(AttachmentShape, (row for row, _ in found.attachments)),
        mail=None if found.mail is None else MailShape.model_validate(found.mail),
        usual_s=found.usual_s,
    )


class BeforeQuery(Given):
    cursor: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="Where to go on: `next` of the answer before."
    )


@section.get("/orders/{number}/timeline", EVERYBODY)
def timeline(call: Call, number: Number, query: BeforeQuery) -> Page[HistoryShape]:
    """What happened to an order, the last first."""
    desk = call.desk
    found = show_timeline(
        desk.uow,
        desk.engine,
        number,
        now=desk.clock.now(),
        before=place_in(query.cursor, number_of),
    )
    return Page[HistoryShape](
        items=[
            HistoryShape(
                id=line.row.id,
                at=line.row.at,
                kind=line.row.kind,
                actor=line.row.actor,
                element=line.row.element,
                step=line.step,
                instance_id=line.row.instance_id,
                data=line.row.data,
            )
            for line in found.lines
        ],
        next=None if found.before is None else str(found.before),
    )


@section.get("/orders/{number}/mail", LEADERS, files=("message/rfc822",))
def mail(call: Call, number: Number) -> File:
    """The message that brought an order, as it came."""
    return File(raw_mail(call.desk.uow, number), "message/rfc822")


@section.get("/orders/{number}/attachments/{attachment}", EVERYBODY, files=IMAGES)
def attachment(call: Call, number: Number, attachment: AttachmentId) -> File:
    """A photo or signature of an order."""
    found = open_attachment(call.desk.uow, number, str(attachment))
    return File(found.content, found.media_type)


def shown(call: Call, number: str) -> OrderShape:
    desk = call.desk
    with desk.uow() as tx:
        return OrderShape(**_order(find_order(tx, number, now=desk.clock.now())))
