"""The plant by the API, for those who administer it: health, places, settings, log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.ports.admin.plant_desk import SettingShown
from mpms.ports.history.audit import AuditFilter, AuditLine, AuditPlace
from mpms.ports.workers import WorkerSeen
from mpms.services.admin.health import Disk, read_health
from mpms.services.history.read_audit import read_audit
from mpms.services.people.list_groups import list_groups
from mpms.web.api.operation import Call, File, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import (
    Listed,
    Page,
    Paged,
    Text,
    instant,
    number_of,
    place_in,
    shaped,
)
from mpms.web.rights import ADMINS, LEADERS
from mpms.web.site.plugin_parts import current_parts

section = Section("Plant", "How the plant is, and what administrators do to it.")

LogName = Annotated[
    str, Field(min_length=1, max_length=255, description="The name of the file.")
]


class PlantPart(Shape):
    part: str
    light: str
    cause: str
    values: dict[str, Any]


@like(WorkerSeen, without="poll_s")
class WorkerShape(Shape): ...


class PlantHealth(Shape):
    light: str = Field(description="The worst of all parts.")
    version: str
    parts: list[PlantPart]
    workers: list[WorkerShape]
    queues_s: dict[str, float | None] = Field(description="Age of the oldest.")


@like(AuditLine)
class AuditShape(Shape): ...


class AuditQuery(Paged):
    actor: Text | None = None
    kind: Text | None = None
    thing: Text | None = Field(
        default=None,
        description="The beginning of an order, a login, a robot, an id ...",
    )
    since: datetime | None = None
    until: datetime | None = None


@like(SettingShown)
class SettingShape(Shape): ...


class LogShape(Shape):
    name: str
    size_bytes: int
    changed_at: datetime


class GroupShape(Shape):
    name: str
    steps: list[tuple[str, str]]
    people: list[str]


@section.get("/plant/health", LEADERS)
def health(call: Call) -> PlantHealth:
    """Database, mail, robots, workers and queues, each with a light and a cause."""
    desk, disk = call.desk, call.desk.plant.disk
    found = read_health(
        desk.uow,
        desk.clock.now(),
        parts=current_parts().health_of(desk),
        disk=None if disk is None else lambda: Disk(*disk()),
        version=desk.plant.version,
    )
    return PlantHealth(
        light=str(found.light),
        version=desk.plant.version,
        parts=[
            PlantPart(
                part=each.part,
                light=str(each.light),
                cause=each.cause,
                values={name: _plain(value) for name, value in each.values.items()},
            )
            for each in found.findings
        ],
        workers=shaped(WorkerShape, found.workers),
        queues_s=dict(found.queues),
    )


@section.get("/plant/audit", LEADERS)
def audit(call: Call, query: AuditQuery) -> Page[AuditShape]:
    """What people and programs did, the last first."""
    wanted = AuditFilter(query.actor, query.kind, query.thing, query.since, query.until)
    found = read_audit(
        call.desk.uow,
        wanted,
        below=place_in(query.cursor, _place),
        limit=query.limit,
    )
    below = found.below
    return Page[AuditShape](
        items=shaped(AuditShape, found.lines),
        next=None if below is None else f"{below[0].isoformat()}~{below[1]}",
    )


@section.get("/plant/settings", ADMINS)
def settings(call: Call) -> Listed[SettingShape]:
    """Settings and where each comes from; secrets are not told."""
    return Listed[SettingShape](items=shaped(SettingShape, call.desk.plant.settings))


@section.get("/plant/logs", ADMINS)
def logs(call: Call) -> Listed[LogShape]:
    """Files of the log."""
    return Listed[LogShape](items=shaped(LogShape, call.desk.plant.logs()))


@section.get("/plant/logs/{name}", ADMINS, files=("text/plain",))
def log(call: Call, name: LogName) -> File:
    """One file of the log; that it was fetched stands in the history."""
    found = next((each for each in call.desk.plant.logs() if each.name == name), None)
    if found is None:
        raise NotFound(f"There is no log {name}.")
    with call.desk.uow() as tx:
        tx.events.append("log fetched", actor=call.by, data={"file": name})
    return File(found.path.read_bytes(), "text/plain; charset=utf-8")


@section.get("/plant/groups", ADMINS)
def groups(call: Call) -> Listed[GroupShape]:
    """Groups: which steps ask for them and who is in them."""
    return Listed[GroupShape](
        items=[
            GroupShape(
                name=group.name,
                steps=group.steps,
                people=[person.login for person in group.people],
            )
            for group in list_groups(call.desk.uow, call.desk.engine)
        ]
    )


def _place(text: str) -> AuditPlace:
    at, _, number = text.partition("~")
    return instant(at), number_of(number)


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return str(value)
