"""What is known of one instance by the API: its way, values, history and work."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.instances.cockpit import (
    AwaitedRow,
    IncidentRow,
    Line,
    Relative,
    TimerRow,
    VariableChange,
    WayPart,
)
from mpms.services.instances.page import show_instance_page
from mpms.services.instances.show_tokens import show_tokens
from mpms.services.instances.tabs import (
    list_family,
    list_forms,
    list_incidents,
    list_variables,
    list_work,
    show_changes,
    show_history,
)
from mpms.web.api.instances import section
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.shapes import like
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
from mpms.web.site.plugin_parts import current_parts

__all__ = ["section"]

VariableName = Annotated[
    str, Field(min_length=1, max_length=200, description="The name of a variable.")
]


@like(IncidentRow)
class IncidentShape(Shape):
    retryable: bool = False


@like(VariableChange)
class ChangeShape(Shape): ...


class VariableShape(Shape):
    name: str
    value: Any
    task_id: str | None = Field(description="Of a variable that one task has alone.")
    changed_at: datetime | None
    changed_by: str | None


@like(Line)
class HistoryLine(Shape): ...


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


@like(TimerRow)
class TimerShape(Shape): ...


@like(AwaitedRow)
class EventShape(Shape): ...


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


@like(Relative, without="parent_task")
class RelativeShape(Shape): ...


class MarksShape(Shape):
    business_key: str | None
    status: InstanceStatus
    live: dict[str, int] = Field(description="Tokens by the element they stand at.")
    names: dict[str, str] = Field(description="Of those elements.")
    passed: list[str]
    stuck: list[str]


@like(WayPart)
class PartShape(Shape): ...


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
    page = show_instance_page(
        call.desk.uow, call.desk.engine, str(instance_id), current_parts().details
    )
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
