"""Stock by the API: lots, what lies where, goods in, stock-take, the schedule."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from mpms.factory.domain.stock import LotState, grams_of, kg_of
from mpms.factory.services.schedule.show import show_schedule
from mpms.factory.services.stock.move import correct
from mpms.factory.services.stock.receive import receive
from mpms.factory.services.stock.show import (
    Short,
    StockRow,
    show_lot,
    show_stock,
)
from mpms.factory.services.stock.states import set_lot_state
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import shaped
from mpms.web.rights import DOERS, EVERYBODY, LEADERS

section = Section("Stock", "Lots of raw materials, what lies where, and the schedule.")

LotName = Annotated[str, Field(min_length=1, max_length=60, description="Its number.")]
Kilograms = Annotated[float, Field(ge=0, le=1_000_000)]


@like(StockRow)
class StockAt(Shape): ...


@like(Short)
class ShortShape(Shape): ...


class StockList(Shape):
    items: list[StockAt]
    short: list[ShortShape] = Field(description="Below their minimum.")


class MoveShape(Shape):
    id: int
    moved_at: datetime | None
    kind: str
    place: str
    kg: Decimal
    order: str | None
    reason: str
    by: str


class LotStory(Shape):
    lot: str
    material: str
    name: str
    state: str
    expires_on: date | None
    supplier: str
    supplier_lot: str
    received_at: datetime | None
    places: list[StockAt]
    moves: list[MoveShape] = Field(description="The newest first, at most 200.")


class NewLot(Shape):
    lot: LotName
    material: str = Field(max_length=60, description="Its code or name.")
    kg: Kilograms
    place: str = Field(max_length=60)
    expires_on: date | None = None
    supplier: str = Field("", max_length=100)
    supplier_lot: str = Field("", max_length=60)


class Count(Shape):
    lot: LotName
    place: str = Field(max_length=60)
    kg: Kilograms
    reason: str = Field("stock-take", max_length=200)


class Counted(Shape):
    difference_kg: Decimal


class NewState(Shape):
    state: Literal["quarantine", "released", "blocked", "used up"]
    reason: str = Field(max_length=200)


class PlannedBarShape(Shape):
    resource: str = Field(description="A robot, a tank, or person 1, 2, …")
    kind: str
    order: str
    from_at: datetime
    to_at: datetime
    pick: int | None
    material: str
    place: str


class PlannedOrderShape(Shape):
    order: str
    product: str
    status: str
    ends_at: datetime | None
    late_s: float
    problem: str


class ScheduleShape(Shape):
    begins_at: datetime
    ends_at: datetime
    bars: list[PlannedBarShape]
    orders: list[PlannedOrderShape]


@section.get("/stock", EVERYBODY)
def stock(call: Call) -> StockList:
    """What lies where, by lot, and which materials run short."""
    desk = call.desk
    with desk.uow() as tx:
        found = show_stock(
            tx, desk.materials(tx).catalogue, today=desk.clock.now().date()
        )
    return StockList(
        items=shaped(StockAt, found.rows), short=shaped(ShortShape, found.short)
    )


@section.get("/stock/lots/{lot}", EVERYBODY)
def lot(call: Call, lot: LotName) -> LotStory:
    """One lot, where it lies, and all that was moved of it."""
    return _story(call, lot)


def _story(call: Call, lot: str) -> LotStory:
    desk = call.desk
    with desk.uow() as tx:
        found = show_lot(
            tx, desk.materials(tx).catalogue, lot, today=desk.clock.now().date()
        )
    return LotStory(
        lot=found.lot.lot,
        material=found.lot.material,
        name=found.name,
        state=found.lot.state.value,
        expires_on=found.lot.expires_on,
        supplier=found.lot.supplier,
        supplier_lot=found.lot.supplier_lot,
        received_at=found.lot.received_at,
        places=shaped(StockAt, found.rows),
        moves=[
            MoveShape(
                id=move.id,
                moved_at=move.moved_at,
                kind=move.kind.value,
                place=move.place,
                kg=kg_of(move.grams),
                order=move.order_number,
                reason=move.reason,
                by=move.by,
            )
            for move in found.moves
        ],
    )


@section.post("/stock/lots", DOERS)
def receive_lot(call: Call, body: NewLot) -> LotStory:
    """Receive a lot; it lies in quarantine until somebody releases it."""
    desk = call.desk
    with desk.uow() as tx:
        receive(
            tx,
            desk.materials(tx).catalogue,
            desk.world,
            body.model_dump(),
            today=desk.clock.now().date(),
            by=call.by,
        )
    return _story(call, body.lot)


@section.post("/stock/counts", DOERS, fails=(404,))
def count(call: Call, body: Count) -> Counted:
    """A stock-take: so much lies there, whatever was believed."""
    with call.desk.uow() as tx:
        grams = correct(
            tx,
            body.lot,
            place=body.place,
            grams=grams_of(body.kg),
            by=call.by,
            reason=body.reason or "stock-take",
        )
    return Counted(difference_kg=kg_of(grams))


@section.post("/stock/lots/{lot}/state", LEADERS)
def state(call: Call, lot: LotName, body: NewState) -> LotStory:
    """Release a lot, block it, or put it back into quarantine."""
    made = set_lot_state(
        call.desk.uow,
        lot,
        LotState(body.state).value,
        by=call.by,
        reason=body.reason,
    )
    return _story(call, made.lot)


@section.get("/schedule", EVERYBODY)
def schedule(call: Call) -> ScheduleShape:
    """Open orders planned together over robots, tanks and people, as of now."""
    desk = call.desk
    with desk.uow() as tx:
        made = show_schedule(tx, desk.world, desk.materials, now=desk.clock.now())
    return ScheduleShape(
        begins_at=made.begins_at,
        ends_at=made.ends_at,
        bars=shaped(PlannedBarShape, made.bars),
        orders=shaped(PlannedOrderShape, made.orders),
    )
