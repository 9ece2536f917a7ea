"""What is known of one instance by the API: its way, values, history and work."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mpms.domain.instances import InstanceStatus
from mpms.services.instance_page import show_instance_page
from mpms.services.instance_tabs import (
    list_family,
    list_forms,
    list_incidents,
    list_variables,
    list_work,
    show_changes,
    show_history,
)
from mpms.services.show_tokens import show_tokens
from mpms.web.api.instances import section
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.values import (
    CursorText,
    InstanceId,
    Listed,
    Name,
    Page,
    number_of,
    place_in,
    shaped,
)
from mpms.web.rights import EVERYBODY, READERS

__all__ = ["section"]

VariableName = Annotated[
    str, Field(min_length=1, max_length=200, description="The name of a variable.")
]


class IncidentShape(Shape):
    id: int
    kind: str
    message: str
    opened_at: datetime
    task_id: str | None
    element: str | None
    resolved_at: datetime | None
    resolved_by: str | None
    cause: str
    assignee: str | None
    retryable: bool = False


class ChangeShape(Shape):
    line: int
    at: datetime
    actor: str
    element: str | None
    task_id: str | None
    name: str
    old: Any
    new: Any
    had_value: bool
    local: bool


class VariableShape(Shape):
    name: str
    value: Any
    task_id: str | None = Field(description="Of a variable that one task has alone.")
    changed_at: datetime | None
    changed_by: str | None


class HistoryLine(Shape):
    line: int
    at: datetime
    kind: str
    actor: str
    element: str | None
    task_id: str | None
    data: dict[str, Any]


class JobShape(Shape):
    task_id: str
    element: str
    topic: str
    state: str
    attempts: int
    retries: int
    run_at: datetime
    leased_by: str | None
    last_error: str | None


class TimerShape(Shape):
    task_id: str
    element: str
    due_at: datetime


class EventShape(Shape):
    task_id: str
    element: str
    kind: str
    event: str
    correlation: str | None


class WorkShape(Shape):
    jobs: list[JobShape]
    timers: list[TimerShape]
    events: list[EventShape]


class OpenForm(Shape):
    task_id: str
    element: str
    name: str
    lane: str | None
    form: str | None
    assignee: str | None
    groups: list[str]
    created_at: datetime
    on_hold: bool


class RelativeShape(Shape):
    relation: str
    id: str
    key: str
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    ended_at: datetime | None


class MarksShape(Shape):
    business_key: str | None
    status: InstanceStatus
    live: dict[str, int] = Field(description="Tokens by the element they stand at.")
    names: dict[str, str] = Field(description="Of those elements.")
    passed: list[str]
    stuck: list[str]


class PartShape(Shape):
    element: str
    kind: str
    flow: str | None
    times: int
    first_at: datetime
    last_at: datetime


class Below(Given):
    cursor: CursorText | None = None


class HistoryQuery(Below):
    kind: list[Name] = Field(default=[], description="Only lines of these kinds.")


@section.get("/instances/{instance_id}/marks", EVERYBODY)
def marks(call: Call, instance_id: InstanceId) -> MarksShape:
    """What a diagram marks: where tokens stand, came along and are stuck."""
    found = show_tokens(call.desk.uow, call.desk.engine, str(instance_id))
    return MarksShape.model_validate(found)


@section.get("/instances/{instance_id}/way", READERS)
def way(call: Call, instance_id: InstanceId) -> Listed[PartShape]:
    """The way an instance took: how often tokens entered and left each element."""
    page = show_instance_page(call.desk.uow, call.desk.engine, str(instance_id))
    return Listed[PartShape](items=shaped(PartShape, page.way))


@section.get("/instances/{instance_id}/variables", READERS)
def variables(call: Call, instance_id: InstanceId) -> Listed[VariableShape]:
    """Every variable, and who changed it last."""
    found = list_variables(call.desk.uow, call.desk.engine, str(instance_id))
    return Listed[VariableShape](
        items=[
            VariableShape(
                name=one.name,
                value=one.value,
                task_id=one.task_id,
                changed_at=None if one.change is None else one.change.at,
                changed_by=None if one.change is None else one.change.actor,
            )
            for one in found
        ]
    )


@section.get("/instances/{instance_id}/variables/{name}/changes", READERS)
def changes(
    call: Call, instance_id: InstanceId, name: VariableName, query: Below
) -> Page[ChangeShape]:
    """Every value that a variable had, the last first."""
    found, older = show_changes(
        call.desk.uow,
        str(instance_id),
        name,
        below=place_in(query.cursor, number_of),
    )
    return Page[ChangeShape](
        items=shaped(ChangeShape, found), next=None if older is None else str(older)
    )


@section.get("/instances/{instance_id}/timeline", READERS)
def timeline(
    call: Call, instance_id: InstanceId, query: HistoryQuery
) -> Page[HistoryLine]:
    """What happened to an instance, the last first."""
    found = show_history(
        call.desk.uow,
        call.desk.engine,
        str(instance_id),
        kinds=query.kind or None,
        below=place_in(query.cursor, number_of),
    )
    return Page[HistoryLine](
        items=shaped(HistoryLine, found.lines),
        next=None if found.below is None else str(found.below),
    )


@section.get("/instances/{instance_id}/waits", READERS)
def waits(call: Call, instance_id: InstanceId) -> WorkShape:
    """Jobs with their attempts, timers, and events that are waited for."""
    found = list_work(call.desk.uow, call.desk.engine, str(instance_id))
    return WorkShape(
        jobs=shaped(JobShape, found.jobs),
        timers=shaped(TimerShape, found.timers),
        events=shaped(EventShape, found.awaited),
    )


@section.get("/instances/{instance_id}/incidents", READERS)
def incidents(call: Call, instance_id: InstanceId) -> Listed[IncidentShape]:
    """Everything that went wrong in an instance."""
    rows, retryable, _ = list_incidents(
        call.desk.uow, call.desk.engine, str(instance_id)
    )
    return Listed[IncidentShape](
        items=[
            IncidentShape.model_validate(row).model_copy(
                update={"retryable": row.id in retryable}
            )
            for row in rows
        ]
    )


@section.get("/instances/{instance_id}/tasks", READERS)
def tasks(call: Call, instance_id: InstanceId) -> Listed[OpenForm]:
    """The forms of an instance that wait for people."""
    found = list_forms(call.desk.uow, str(instance_id))
    return Listed[OpenForm](items=shaped(OpenForm, found))


@section.get("/instances/{instance_id}/family", READERS)
def family(call: Call, instance_id: InstanceId) -> Listed[RelativeShape]:
    """Who called it, what it called, what it repeats."""
    found = list_family(call.desk.uow, str(instance_id))
    return Listed[RelativeShape](items=shaped(RelativeShape, found))
