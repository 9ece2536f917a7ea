"""The plant by the API, for those who administer it: health, robots, retention, log."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.ports.administration import AuditFilter, AuditPlace
from mpms.ports.checks import CheckStep
from mpms.services.check_places import list_materials, list_places
from mpms.services.health import Disk, read_health
from mpms.services.keep_history import ask_deletion, count_old, set_retention
from mpms.services.list_groups import list_groups
from mpms.services.read_audit import read_audit
from mpms.services.robot_board import robot_board
from mpms.services.take_robot_out import bring_robot_back, take_robot_out
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.values import (
    CursorText,
    Listed,
    Page,
    Reason,
    Text,
    WithReason,
    instant,
    number_of,
    place_in,
    shaped,
)
from mpms.web.bounded import TestRuns, bounded
from mpms.web.rights import ADMINS, LEADERS

section = Section("Plant", "How the plant is, and what administrators do to it.")

RobotId = Annotated[str, Field(min_length=1, max_length=100, description="Its name.")]
Server = Annotated[
    str, Field(pattern="^(imap|smtp)$", description="imap or smtp: which server.")
]
SHOWN_RUNS = 50


class PlantPart(Shape):
    part: str
    light: str
    cause: str
    values: dict[str, Any]


class WorkerShape(Shape):
    name: str
    version: str
    started_at: datetime
    seen_at: datetime
    rounds: int
    failure: str | None


class PlantHealth(Shape):
    light: str = Field(description="The worst of all parts.")
    version: str
    parts: list[PlantPart]
    workers: list[WorkerShape]
    queues_s: dict[str, float | None] = Field(description="Age of the oldest.")


class AuditShape(Shape):
    id: int
    at: datetime
    kind: str
    actor: str
    instance_id: str | None
    element: str | None
    data: dict[str, Any]
    business_key: str | None
    process: str | None


class AuditQuery(Given):
    cursor: CursorText | None = None
    actor: Text | None = None
    kind: Text | None = None
    thing: Text | None = Field(
        default=None, description="An order, a login, a robot, an instance ..."
    )
    since: datetime | None = None
    until: datetime | None = None


class RobotAtWork(Shape):
    id: str
    kind: str
    profile: str
    ready: bool
    link: str
    why_not: str | None
    worker: str | None
    reported_at: datetime | None
    order: str | None
    out_of_service: str | None = Field(description="The reason, if it is.")


class TestStep(Shape):
    name: str
    ok: bool | None
    cause: str
    detail: str


class MaterialShape(Shape):
    code: str
    name: str
    aliases: list[str]
    max_kg: float | None
    density_kg_per_l: float | None
    place: str | None
    recipes: list[str]
    problem: str


class PlaceOnFloor(Shape):
    name: str
    x_m: float
    y_m: float
    yaw_rad: float
    kind: str
    materials: list[str]
    robots: list[str]


class SettingShape(Shape):
    name: str
    value: str
    source: str
    meaning: str
    without: str


class GroupShape(Shape):
    name: str
    steps: list[tuple[str, str]]
    people: list[str]


class RunShape(Shape):
    id: int
    before: datetime
    reason: str
    asked_by: str
    asked_at: datetime | None
    ended_at: datetime | None
    counts: dict[str, int]
    failure: str | None


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
    instances: int
    events: int
    answers: int
    incidents: int
    goals: int
    attachments: int
    loose_events: int


class MailTest(Given):
    send: bool = Field(default=False, description="Also send us a short message.")


@section.get("/plant/health", LEADERS)
def health(call: Call) -> PlantHealth:
    """Database, mail, robots, workers and queues, each with a light and a cause."""
    desk, disk = call.desk, call.desk.plant.disk
    found = read_health(
        desk.uow,
        desk.world,
        desk.clock.now(),
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
    found = read_audit(call.desk.uow, wanted, below=place_in(query.cursor, _place))
    below = found.below
    return Page[AuditShape](
        items=shaped(AuditShape, found.lines),
        next=None if below is None else f"{below[0].isoformat()}~{below[1]}",
    )


@section.get("/plant/robots", ADMINS)
def robots(call: Call) -> Listed[RobotAtWork]:
    """Robots, who speaks with them, and which are out of service."""
    return Listed[RobotAtWork](
        items=[
            RobotAtWork(
                id=card.info.id,
                kind=card.info.kind,
                profile=card.info.profile,
                ready=card.state.ready,
                link=card.state.link,
                why_not=card.state.why_not,
                worker=card.worker,
                reported_at=card.reported_at,
                order=card.order,
                out_of_service=None if card.out is None else card.out.reason,
            )
            for card in robot_board(call.desk.uow, call.desk.world)
        ]
    )


@section.post("/plant/robots/{robot}/out", ADMINS)
def take_out(call: Call, robot: RobotId, body: WithReason) -> None:
    """Give a robot no new work."""
    desk = call.desk
    take_robot_out(desk.uow, desk.world, robot, by=call.by, reason=body.reason)


@section.post("/plant/robots/{robot}/back", ADMINS)
def bring_back(call: Call, robot: RobotId, body: WithReason) -> None:
    """Give a robot work again."""
    bring_robot_back(call.desk.uow, robot, by=call.by, reason=body.reason)


@section.post("/plant/robots/{robot}/test", ADMINS, atomic=False)
def test_robot(call: Call, robot: RobotId) -> Listed[TestStep]:
    """Listen to a robot, step by step; it is told nothing."""
    desk = call.desk
    checks = desk.plant.robots
    if desk.world.robot(robot) is None:
        raise NotFound(f"There is no robot {robot}.")
    if checks is None:
        steps = [CheckStep("configured", False, "not_set")]
    else:
        steps = _tested(f"robot {robot}", lambda tell: checks.check(robot, tell))
    return _told(call, {"robot": robot}, steps)


@section.post("/plant/mail/{server}/test", ADMINS, atomic=False)
def test_mail(call: Call, server: Server, body: MailTest) -> Listed[TestStep]:
    """Speak with a mail server, step by step."""
    checks = call.desk.plant.mail
    if checks is None:
        steps = [CheckStep("configured", False, "not_set")]
    elif server == "imap":
        steps = _tested("mail imap", checks.imap)
    else:
        steps = _tested("mail smtp", lambda tell: checks.smtp(tell, send=body.send))
    return _told(call, {"server": server, "sent": body.send}, steps)


@section.get("/plant/materials", ADMINS)
def materials(call: Call) -> Listed[MaterialShape]:
    """The catalogue, with where each material stands and what is wrong."""
    now = call.desk.in_force
    found = list_materials(now.placed(call.desk.world), now.catalogue)
    return Listed[MaterialShape](items=shaped(MaterialShape, found))


@section.get("/plant/places", ADMINS)
def places(call: Call) -> Listed[PlaceOnFloor]:
    """Every place on the floor."""
    return Listed[PlaceOnFloor](
        items=shaped(PlaceOnFloor, list_places(call.desk.placed_world))
    )


@section.get("/plant/settings", ADMINS)
def settings(call: Call) -> Listed[SettingShape]:
    """Settings and where each comes from; secrets are not told."""
    return Listed[SettingShape](items=shaped(SettingShape, call.desk.plant.settings))


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
    return OldShape(**asdict(found))


@section.post("/plant/retention/delete", ADMINS)
def delete(call: Call, body: WithReason) -> RetentionShape:
    """Let a worker delete what is older than is kept."""
    ask_deletion(call.desk.uow, call.desk.clock, by=call.by, reason=body.reason)
    return retention(call)


def _place(text: str) -> AuditPlace:
    at, _, number = text.partition("~")
    return instant(at), number_of(number)


def _tested(name: str, ask: Any) -> list[CheckStep]:
    try:
        return bounded(name, ask)
    except TestRuns as runs:
        return [CheckStep("limit", None, detail=str(runs))]


def _told(call: Call, what: dict[str, Any], steps: list[CheckStep]) -> Listed[TestStep]:
    worked = all(step.ok is not False for step in steps)
    with call.desk.uow() as tx:
        data = what | {"worked": worked}
        tx.events.append("connection tested", actor=call.by, data=data)
    return Listed[TestStep](items=shaped(TestStep, steps))


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return str(value)
