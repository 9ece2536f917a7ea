"""Instances by the API: found by whatever one knows, seen whole, started, told."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from mpms.domain.errors import ProcessUnknown
from mpms.domain.instances import InstanceStatus
from mpms.ports.cockpit import InstancesSought
from mpms.services.broadcast_signal import broadcast_signal
from mpms.services.correlate_message import correlate_message
from mpms.services.instance_page import InstancePage, show_instance_page
from mpms.services.instance_tabs import (
    list_family,
    list_forms,
    list_incidents,
    list_variables,
    list_work,
    show_changes,
    show_history,
)
from mpms.services.list_instances import CAP
from mpms.services.search_instances import FoundInstance, search_instances
from mpms.services.start_instance import start_instance
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.processes import SuspensionShape
from mpms.web.api.values import (
    Counted,
    CursorText,
    InstanceId,
    Listed,
    Name,
    Page,
    Paged,
    ProcessKey,
    Text,
    Variables,
    Version,
    number_of,
    place_in,
    shaped,
)
from mpms.web.cockpit_filter import STATES, place_of, text_of
from mpms.web.rights import LEADERS, READERS

section = Section("Instances", "Processes that run or have run.")

State = Literal[
    "running", "stuck", "suspended", "completed", "cancelled", "failed", "any"
]
VariableName = Annotated[
    str, Field(min_length=1, max_length=200, description="The name of a variable.")
]
assert set(State.__args__) == set(STATES)  # type: ignore[attr-defined]  # noqa: S101


class StandShape(Shape):
    element: str
    tokens: int
    stuck: int


class InstanceInList(Shape):
    id: str
    process: str
    version: int | None
    business_key: str | None
    state: str
    started_at: datetime
    changed_at: datetime
    ended_at: datetime | None
    end_reason: str | None
    parent_id: str | None
    incidents: int
    stands: list[StandShape]


class Search(Given):
    process: ProcessKey | None = None
    version: Version | None = Field(default=None, description="Needs `process`.")
    state: State = "running"
    business_key: Text = Field(default="", description="Its beginning.")
    variable: Text = Field(default="", description="The name of a variable ...")
    value: Text | None = Field(default=None, description="... and its value as text.")
    element: Text | None = Field(default=None, description="Where a token stands.")
    since: datetime | None = Field(
        default=None, description="Started, or ended if it has, not before this."
    )
    until: datetime | None = Field(default=None, description="And not after this.")


class SearchQuery(Search, Paged):
    """A page of what fits."""


class TokenShape(Shape):
    task_id: str
    element: str
    name: str
    state: str
    inside: str | None
    due_at: datetime | None
    robot: str | None
    incident: int | None
    child: str | None
    has_form: bool


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


class InstanceShape(Shape):
    id: str
    process: str
    version: int
    latest_version: int
    business_key: str | None
    status: InstanceStatus
    started_at: datetime
    changed_at: datetime
    ended_at: datetime | None
    end_reason: str | None
    suspended: SuspensionShape | None
    parent_id: str | None
    restarted_from: str | None
    order: str | None
    robot: str | None
    tokens: list[TokenShape]
    incidents: int


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


class NewInstance(Given):
    process: ProcessKey
    version: Version | None = Field(default=None, description="Without it the latest.")
    at: Name | None = Field(default=None, description="The id of a start event.")
    business_key: Name | None = None
    variables: Variables = Field(default={})


class NewMessage(Given):
    name: Name
    correlation: Name | None = None
    business_key: Name | None = None
    instance_id: InstanceId | None = None
    variables: Variables = Field(default={})
    keep: bool = Field(default=False, description="Keep it until somebody waits.")


class NewSignal(Given):
    name: Name
    variables: Variables = Field(default={})


class Correlated(Shape):
    outcome: str
    instance_id: str | None
    element: str | None


class Reached(Shape):
    reached: int


@section.get("/instances", READERS, fails=(404,))
def search(call: Call, query: SearchQuery) -> Counted[InstanceInList]:
    """Instances that fit all that is given, the last changed first."""
    desk = call.desk
    found = search_instances(
        desk.uow,
        sought_by(call, query),
        below=place_in(query.cursor, place_of),
        limit=query.limit,
    )
    versions = _versions(call, query.process)
    return Counted[InstanceInList](
        items=[_listed(one, versions) for one in found.instances],
        next=None if found.below is None else text_of(found.below),
        found=found.found if query.cursor is None else None,
        cap=CAP,
    )


def _versions(call: Call, process: str | None) -> dict[int, int]:
    """Version numbers by definition."""
    if process is None:
        return {}
    with call.desk.uow() as tx:
        rows = tx.cockpit.versions(process)
    return {row.definition_id: row.version for row in rows}


def sought_by(call: Call, query: Search) -> InstancesSought:
    """ProcessUnknown."""
    definition_id = None
    if query.version is not None:
        known = {n: ident for ident, n in _versions(call, query.process).items()}
        if query.version not in known:
            raise ProcessUnknown(f"Version {query.version} is not deployed.")
        definition_id = known[query.version]
    statuses = tuple(InstanceStatus)
    if query.state in ("running", "stuck", "suspended"):
        statuses = (InstanceStatus.ACTIVE,)
    elif query.state != "any":
        statuses = (InstanceStatus(query.state),)
    return InstancesSought(
        key=query.process,
        definition_id=definition_id,
        statuses=statuses,
        business_key=query.business_key,
        name=query.variable,
        value=query.value if query.variable else None,
        element=query.element,
        stuck=query.state == "stuck",
        suspended=query.state == "suspended",
        since=query.since,
        until=query.until,
    )


def _listed(found: FoundInstance, versions: dict[int, int]) -> InstanceInList:
    row = found.row
    return InstanceInList(
        id=row.id,
        process=row.key,
        version=versions.get(row.definition_id),
        business_key=row.business_key,
        state=found.state,
        started_at=row.started_at,
        changed_at=row.changed_at,
        ended_at=row.ended_at,
        end_reason=row.end_reason,
        parent_id=row.parent_id,
        incidents=found.incidents,
        stands=shaped(StandShape, found.stands),
    )


@section.get("/instances/{instance_id}", READERS)
def one(call: Call, instance_id: InstanceId) -> InstanceShape:
    """One instance with its live tokens."""
    return shown(call, str(instance_id))


def shown(call: Call, instance_id: str) -> InstanceShape:
    page = show_instance_page(call.desk.uow, call.desk.engine, instance_id)
    instance = page.instance
    return InstanceShape(
        id=instance.id,
        process=instance.key,
        version=page.definition.version,
        latest_version=page.latest_version,
        business_key=instance.business_key,
        status=instance.status,
        started_at=instance.started_at,
        changed_at=instance.changed_at,
        ended_at=instance.ended_at,
        end_reason=instance.end_reason,
        suspended=SuspensionShape.of(instance.suspended),
        parent_id=None if instance.parent is None else instance.parent.instance_id,
        restarted_from=instance.restarted_from,
        order=page.order,
        robot=page.robot,
        tokens=_tokens(page),
        incidents=len(page.incidents),
    )


def _tokens(page: InstancePage) -> list[TokenShape]:
    return [
        TokenShape(
            task_id=each.token.task_id,
            element=each.token.element,
            name=each.name,
            state=each.token.state,
            inside=each.token.inside,
            due_at=each.due_at,
            robot=each.robot,
            incident=None if each.incident is None else each.incident.id,
            child=each.child,
            has_form=each.form,
        )
        for each in page.tokens
    ]


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


@section.post("/instances", LEADERS, status=201, fails=(404,))
def start(call: Call, body: NewInstance) -> InstanceShape:
    """Start a process."""
    desk = call.desk
    desk.engine.check_variables(body.variables)
    with desk.uow() as tx:
        instance_id = start_instance(
            tx,
            desk.advance,
            body.process,
            variables=dict(body.variables),
            business_key=body.business_key,
            version=body.version,
            at=body.at,
            actor=call.by,
        )
        tx.wake()
    return shown(call, instance_id)


@section.post("/messages", LEADERS, fails=(404,))
def message(call: Call, body: NewMessage) -> Correlated:
    """Hand a message to the one who waits for it, or start what begins with it."""
    desk = call.desk
    done = correlate_message(
        desk.uow,
        desk.advance,
        body.name,
        correlation=body.correlation,
        business_key=body.business_key,
        instance_id=None if body.instance_id is None else str(body.instance_id),
        variables=dict(body.variables),
        keep=body.keep,
        by=call.by,
    )
    return Correlated.model_validate(done)


@section.post("/signals", LEADERS)
def signal(call: Call, body: NewSignal) -> Reached:
    """Send a signal to everybody who waits for it."""
    desk = call.desk
    reached = broadcast_signal(
        desk.uow,
        desk.advance,
        body.name,
        variables=dict(body.variables),
        by=call.by,
    )
    return Reached(reached=reached)
