"""How long the past is kept, by the API: read, changed, counted, deleted."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from mpms.ports.history.retention import HistoryRun
from mpms.services.history.retention import ask_deletion, count_old, set_retention
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.plant import section
from mpms.web.api.shapes import like
from mpms.web.api.values import Reason, WithReason, shaped
from mpms.web.rights import ADMINS

__all__ = ["section"]

SHOWN_RUNS = 50


@like(HistoryRun, without="taken_by taken_at")
class RunShape(Shape): ...


class RetentionShape(Shape):
    days: int | None = Field(description="Null: everything is kept.")
    runs: list[RunShape]


class Days(Given):
    days: Annotated[int, Field(ge=1, le=100_000)]


class NewRetention(Given):
    days: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        description="How long ended instances are kept; null: for ever."
    )
    reason: Reason


class OldShape(Shape):
    """With the numbers of plug-ins by their names."""

    model_config = ConfigDict(extra="allow")

    instances: int
    events: int
    answers: int
    incidents: int
    attachments: int
    loose_events: int
    goals: int = Field(default=0, description="Drives of robots.")


@section.get("/plant/retention", ADMINS)
def retention(call: Call) -> RetentionShape:
    """How long ended instances are kept, and what was deleted."""
    with call.desk.uow() as tx:
        kept, runs = tx.retention.kept(), tx.retention.runs(SHOWN_RUNS)
    return RetentionShape(
        days=None if kept is None else kept.days, runs=shaped(RunShape, runs)
    )


@section.post("/plant/retention", ADMINS)
def keep(call: Call, body: NewRetention) -> RetentionShape:
    """Keep ended instances so many days."""
    set_retention(call.desk.uow, body.days, by=call.by, reason=body.reason)
    return retention(call)


@section.post("/plant/retention/count", ADMINS)
def count(call: Call, body: Days) -> OldShape:
    """What would go; nothing is deleted."""
    found = count_old(call.desk.uow, call.desk.clock, body.days)
    return OldShape.model_validate(found.by_name())


@section.post("/plant/retention/delete", ADMINS)
def delete(call: Call, body: WithReason) -> RetentionShape:
    """Let a worker delete what is older than is kept."""
    ask_deletion(call.desk.uow, call.desk.clock, by=call.by, reason=body.reason)
    return retention(call)
