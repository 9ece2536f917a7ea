"""Instances by the API: found by whatever one knows, seen whole, started."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from mpms.domain.errors import ProcessUnknown
from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.instances.rows import InstanceFilter
from mpms.services.instances.listing import CAP
from mpms.services.instances.page import InstancePage, show_instance_page
from mpms.services.instances.search import FoundInstance, search_instances
from mpms.services.instances.start import start_instance
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.processes import SuspensionShape
from mpms.web.api.values import (
    Counted,
    InstanceId,
    Name,
    Paged,
    ProcessKey,
    Text,
    Variables,
    Version,
    place_in,
    shaped,
)
from mpms.web.fields.cockpit_filter import STATES, place_of, text_of
from mpms.web.rights import LEADERS, READERS
from mpms.web.site.plugin_parts import current_parts

section = Section("Instances", "Processes that run or have run.")

State = Literal[
    "running", "stuck", "suspended", "completed", "cancelled", "failed", "any"
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


class NewInstance(Given):
    process: ProcessKey
    version: Version | None = Field(default=None, description="Without it the latest.")
    at: Name | None = Field(default=None, description="The id of a start event.")
    business_key: Name | None = None
    variables: Variables = Field(default={})


@section.get("/instances", READERS, fails=(404,))
def search(call: Call, query: SearchQuery) -> Counted[InstanceInList]:
    """Instances that fit all that is given, the last changed first."""
    desk = call.desk
    found = search_instances(
        desk.uow,
        instance_filter(call, query),
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


def instance_filter(call: Call, query: Search) -> InstanceFilter:
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
    return InstanceFilter(
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
    page = show_instance_page(
        call.desk.uow, call.desk.engine, instance_id, current_parts().details
    )
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
        order=page.known.get("order"),
        robot=page.known.get("robot"),
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
            robot=each.known.get("robot"),
            incident=None if each.incident is None else each.incident.id,
            child=each.child,
            has_form=each.form,
        )
        for each in page.tokens
    ]


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
            person=call.person,
        )
        tx.wake()
    return shown(call, instance_id)
