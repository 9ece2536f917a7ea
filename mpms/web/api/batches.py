"""Bulk actions by the API: one action on many instances, done by a worker."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mpms.domain.bulk import (
    BatchAction,
    BatchRefused,
    ItemState,
    TheseIncidents,
    TheseInstances,
)
from mpms.services.bulk.order import Which, order_batch, repeat_failed, reverse_batch
from mpms.services.bulk.preview import preview_batch
from mpms.services.bulk.show import list_batches, show_batch
from mpms.services.bulk.stop import stop_batch
from mpms.web.api.incidents import IncidentQuery
from mpms.web.api.instances import Search, instance_filter
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.values import (
    InstanceId,
    MaybeReason,
    Page,
    Paged,
    Reason,
    RowId,
    Variables,
    WithReason,
    number_of,
    place_in,
    shaped,
)
from mpms.web.rights import LEADERS, READERS


class BatchTargetUnclear(BatchRefused):
    """Say exactly one of instances, search, incidents and incidents_like."""


section = Section("Batches", "One action on many instances, done in the background.")


class BatchShape(Shape):
    id: int
    action: BatchAction
    details: dict[str, Any]
    reason: str
    ordered_by: str
    ordered_at: datetime
    ended_at: datetime | None
    stopped_by: str | None
    state: str = Field(description="running, stopped or ended")
    items: int
    done: int
    failed: int
    left: int


class ItemShape(Shape):
    place: int
    instance_id: str | None
    incident_id: int | None
    state: ItemState
    message: str | None
    done_at: datetime | None
    key: str | None
    business_key: str | None


class WishedBatch(Given):
    """Exactly one of `instances`, `search`, `incidents` and `incidents_like`."""

    action: BatchAction
    details: Variables = Field(
        default={}, description="What the action needs: `element`, `to`, `version` ..."
    )
    instances: Annotated[list[InstanceId], Field(max_length=10_000)] | None = None
    search: Search | None = Field(
        default=None, description="All instances that fit when it is ordered."
    )
    incidents: Annotated[list[RowId], Field(max_length=10_000)] | None = None
    incidents_like: IncidentQuery | None = Field(
        default=None, description="All open incidents that fit."
    )


class NewBatch(WishedBatch):
    reason: Reason


class WhyNot(Shape):
    why: str
    instances: int


class PreviewShape(Shape):
    total: int = Field(description="How many are meant.")
    too_many: bool
    looked_at: int = Field(description="Of how many it was found out beforehand.")
    ready: int
    refused: list[WhyNot]


class ItemQuery(Paged):
    state: ItemState | None = None


@section.get("/batches", READERS)
def list_all(call: Call, query: Paged) -> Page[BatchShape]:
    """Bulk actions, the last ordered first."""
    found = list_batches(
        call.desk.uow, below=place_in(query.cursor, number_of), limit=query.limit
    )
    return Page[BatchShape](
        items=shaped(BatchShape, found.batches),
        next=None if found.below is None else str(found.below),
    )


@section.get("/batches/{batch_id}", READERS)
def one(call: Call, batch_id: RowId) -> BatchShape:
    """How far a bulk action is."""
    return show(call, batch_id)


@section.get("/batches/{batch_id}/items", READERS)
def items(call: Call, batch_id: RowId, query: ItemQuery) -> Page[ItemShape]:
    """What became of each instance."""
    found = show_batch(
        call.desk.uow,
        batch_id,
        state=query.state,
        after=place_in(query.cursor, number_of) or 0,
        limit=query.limit,
    )
    return Page[ItemShape](
        items=[
            ItemShape(
                place=item.place,
                instance_id=item.target.instance_id,
                incident_id=item.target.incident_id,
                state=item.state,
                message=item.message,
                done_at=item.done_at,
                key=item.key,
                business_key=item.business_key,
            )
            for item in found.items
        ],
        next=None if found.after is None else str(found.after),
    )


@section.post("/batches", LEADERS, status=201, fails=(404,))
def order(call: Call, body: NewBatch) -> BatchShape:
    """Do something to many; a worker does it one by one and tells what came of it."""
    number = order_batch(
        call.desk.uow,
        body.action,
        _which(call, body),
        details=body.details,
        by=call.by,
        reason=body.reason,
    )
    return show(call, number)


@section.post("/batches/preview", LEADERS, fails=(404,))
def preview(call: Call, body: WishedBatch) -> PreviewShape:
    """How many are meant and how many of them can; nothing is changed."""
    found = preview_batch(
        call.desk.uow,
        call.desk.engine,
        body.action,
        _which(call, body),
        body.details,
    )
    return PreviewShape(
        total=found.total,
        too_many=found.too_many,
        looked_at=found.looked_at,
        ready=found.ready,
        refused=[WhyNot(why=why, instances=count) for why, count in found.refused],
    )


@section.post("/batches/{batch_id}/stop", LEADERS)
def stop(call: Call, batch_id: RowId, body: MaybeReason) -> BatchShape:
    """Begin nothing more; what is done stays done."""
    stop_batch(call.desk.uow, batch_id, by=call.by, reason=body.reason)
    return show(call, batch_id)


@section.post("/batches/{batch_id}/repeat", LEADERS, status=201)
def repeat(call: Call, batch_id: RowId, body: WithReason) -> BatchShape:
    """The same once more for those that failed."""
    number = repeat_failed(call.desk.uow, batch_id, by=call.by, reason=body.reason)
    return show(call, number)


@section.post("/batches/{batch_id}/reverse", LEADERS, status=201)
def reverse(call: Call, batch_id: RowId, body: WithReason) -> BatchShape:
    """Undo what was done, where that is an action of its own."""
    number = reverse_batch(call.desk.uow, batch_id, by=call.by, reason=body.reason)
    return show(call, number)


def _which(call: Call, body: WishedBatch) -> Which:
    """BatchRefused."""
    given: list[Which] = []
    if body.instances is not None:
        given.append(TheseInstances(tuple(map(str, body.instances))))
    if body.search is not None:
        given.append(instance_filter(call, body.search))
    if body.incidents is not None:
        given.append(TheseIncidents(tuple(body.incidents)))
    if body.incidents_like is not None:
        given.append(body.incidents_like.filter())
    if len(given) != 1:
        raise BatchTargetUnclear
    return given[0]


def show(call: Call, batch_id: int) -> BatchShape:
    return BatchShape.model_validate(show_batch(call.desk.uow, batch_id, limit=1).batch)
