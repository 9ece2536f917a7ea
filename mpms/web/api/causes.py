"""The inbox of incidents by the API: by cause, given to somebody, discussed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from mpms.domain.bulk import BatchAction
from mpms.domain.incidents.incidents import IncidentFilter
from mpms.ports.incidents.inbox import CauseComment, CauseFilter, CauseIncident
from mpms.services.bulk.order import order_batch
from mpms.services.incidents.assign import assign_cause
from mpms.services.incidents.close import close_cause
from mpms.services.incidents.comment import comment_cause
from mpms.services.incidents.inbox import show_cause, show_inbox
from mpms.web.api.batches import BatchShape, show
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import CursorText, Text, WithReason, number_of, place_in
from mpms.web.labels.incidents import is_retryable
from mpms.web.rights import LEADERS

section = Section("Causes", "Incidents that look alike, told and solved together.")

CauseName = Annotated[
    str, Field(min_length=1, max_length=200, description="The name of the cause.")
]


class CauseShape(Shape):
    cause: str
    kind: str
    message: str = Field(description="Of the latest.")
    incidents: int
    instances: int
    retryable: int
    first_at: datetime
    last_at: datetime
    processes: list[str]
    assignees: list[str]
    comments: int


class Inbox(Shape):
    items: list[CauseShape]
    causes: int
    incidents: int


@like(CauseIncident, without="page")
class CauseIncidentShape(Shape):
    order: str | None = Field(
        default=None, description="Its business key, if that has a page of its own."
    )
    retryable: bool = False


@like(CauseComment)
class CommentShape(Shape): ...


class CauseStory(Shape):
    cause: str
    open: CauseShape | None
    incidents: list[CauseIncidentShape]
    next: str | None
    settled: list[CauseIncidentShape]
    comments: list[CommentShape]


class InboxQuery(Given):
    process: Text | None = None
    element: Text | None = None
    kind: Text | None = None
    assignee: Text | None = Field(default=None, description="A login; empty: nobody.")
    text: Text | None = Field(default=None, description="A part of the message.")
    sort: Literal["longest", "most", "newest"] = "longest"


class After(Given):
    cursor: CursorText | None = None


class Assign(Given):
    to: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        description="The login of a leader; null: nobody."
    )


class Comment(Given):
    text: Annotated[str, Field(min_length=1, max_length=4000)]


class Closed(Shape):
    incidents: int = Field(description="How many were put aside.")


class Assigned(Shape):
    incidents: int = Field(description="How many were somebody else's before.")


@section.get("/causes", LEADERS)
def inbox(call: Call, query: InboxQuery) -> Inbox:
    """Open incidents by cause, at most a hundred causes."""
    wanted = CauseFilter(
        process=query.process,
        element=query.element,
        kind=query.kind,
        assignee=query.assignee,
        text=query.text,
        sort=query.sort,
    )
    found = show_inbox(call.desk.uow, call.desk.engine, wanted)
    return Inbox(
        items=[CauseShape.model_validate(row) for row in found.rows],
        causes=found.causes,
        incidents=found.incidents,
    )


@section.get("/causes/{cause}", LEADERS)
def one(call: Call, cause: CauseName, query: After) -> CauseStory:
    """One cause: its incidents, what was put aside, what people say."""
    return _shown(call, cause, place_in(query.cursor, number_of))


@section.post("/causes/{cause}/retry", LEADERS, status=201)
def retry(call: Call, cause: CauseName, body: WithReason) -> BatchShape:
    """Try all of a cause again, as a bulk action."""
    number = order_batch(
        call.desk.uow,
        BatchAction.RETRY,
        IncidentFilter(cause=cause),
        by=call.by,
        reason=body.reason,
    )
    return show(call, number)


@section.post("/causes/{cause}/assign", LEADERS)
def assign(call: Call, cause: CauseName, body: Assign) -> Assigned:
    """Give a cause to somebody, or to nobody."""
    changed = assign_cause(call.desk.uow, cause, body.to, by=call.by)
    return Assigned(incidents=changed)


@section.post("/causes/{cause}/comment", LEADERS)
def comment(call: Call, cause: CauseName, body: Comment) -> None:
    """Keep what was found out, for whoever meets it next."""
    comment_cause(call.desk.uow, cause, body.text, by=call.by)


@section.post("/causes/{cause}/close", LEADERS)
def close(call: Call, cause: CauseName, body: WithReason) -> Closed:
    """Put aside all of a cause that cannot be tried again."""
    closed = close_cause(call.desk.uow, cause, by=call.by, note=body.reason)
    return Closed(incidents=closed)


def _shown(call: Call, cause: str, after: int | None) -> CauseStory:
    found = show_cause(call.desk.uow, call.desk.engine, cause, after=after)
    return CauseStory(
        cause=found.cause,
        open=None if found.row is None else CauseShape.model_validate(found.row),
        incidents=[_incident(one) for one in found.incidents],
        next=None if found.after is None else str(found.after),
        settled=[_incident(one) for one in found.settled],
        comments=[CommentShape.model_validate(one) for one in found.comments],
    )


def _incident(found: CauseIncident) -> CauseIncidentShape:
    shape = CauseIncidentShape.model_validate(found)
    open_still = found.resolved_at is None
    known = {
        "order": found.business_key if found.page else None,
        "retryable": open_still and is_retryable(found),
    }
    return shape.model_copy(update=known)
