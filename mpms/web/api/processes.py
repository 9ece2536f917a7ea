"""Processes by the API: what is deployed, what runs, where time goes; deploying."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.domain.instances import Suspension
from mpms.domain.models import Problem
from mpms.ports.cockpit import InstancesSought
from mpms.ports.engine import Engine
from mpms.services.deploy_models import check_form, deploy_models
from mpms.services.heat_map import heat_map
from mpms.services.process_board import hour_of, process_board
from mpms.services.process_page import process_page
from mpms.services.suspend_process import resume_process, suspend_process
from mpms.web.api.operation import Call, File, Given, Section, Shape
from mpms.web.api.values import (
    Listed,
    MaybeReason,
    ProcessKey,
    Version,
    WithReason,
    shaped,
)
from mpms.web.rights import ADMINS, EVERYBODY, LEADERS, READERS

section = Section("Processes", "Models, decision tables and forms.")

XML = "application/xml"
USUAL_WINDOW = timedelta(days=7)
FileName = Annotated[str, Field(min_length=1, max_length=200)]
ModelText = Annotated[str, Field(max_length=8_000_000)]
FormId = Annotated[str, Field(min_length=1, max_length=200, description="Its id.")]


class TrendShape(Shape):
    hour: datetime
    started: int
    completed: int
    cancelled: int
    failed: int


class SuspensionShape(Shape):
    by: str
    reason: str
    at: datetime

    @classmethod
    def of(cls, found: Suspension | None) -> SuspensionShape | None:
        return None if found is None else cls.model_validate(found)


class ProcessShape(Shape):
    key: str
    name: str
    version: int
    deployed_at: datetime
    deployed_by: str
    active: int
    suspended: int
    incidents: int
    forms: int
    late: int
    oldest_at: datetime | None
    standing_still: SuspensionShape | None
    last_day: list[TrendShape]


class VersionShape(Shape):
    definition_id: int
    version: int
    name: str
    deployed_at: datetime
    deployed_by: str
    active: int


class StepShape(Shape):
    id: str
    name: str
    kind: str
    lane: str | None


class ProcessStory(Shape):
    key: str
    name: str
    versions: list[VersionShape]
    steps: list[StepShape]


class HeatShape(Shape):
    id: str
    name: str
    kind: str
    tokens: int
    stuck: int
    since: datetime | None
    visits: int
    cancelled: int
    duration_s: float | None
    waiting_s: float | None
    longest_s: float | None


class HeatMapShape(Shape):
    since: datetime
    until: datetime
    steps: list[HeatShape]


class FormFile(Shape):
    form: str
    schema_: dict[str, Any] = Field(serialization_alias="schema")


class StartShape(Shape):
    process: str
    element: str
    kind: str
    event: str | None
    due_at: datetime | None


class VersionQuery(Given):
    version: Version | None = None


class HeatQuery(VersionQuery):
    since: datetime | None = Field(default=None, description="A week ago without it.")
    until: datetime | None = Field(default=None, description="Now without it.")
    business_key: Annotated[
        str, Field(max_length=200, description="Only instances whose key begins so.")
    ] = ""
    variable: Annotated[
        str, Field(max_length=200, description="Only instances with this variable.")
    ] = ""
    value: Annotated[
        str, Field(max_length=200, description="Its value as text, with `variable`.")
    ] = ""

    def narrowed(self, key: str, definition_id: int | None) -> InstancesSought | None:
        if not self.business_key and not self.variable:
            return None
        return InstancesSought(
            key=key,
            definition_id=definition_id,
            business_key=self.business_key,
            name=self.variable,
            value=self.value if self.variable else None,
        )


class Files(Given):
    files: Annotated[
        dict[FileName, ModelText],
        Field(
            min_length=1,
            max_length=100,
            description="Contents by file name; names end in .bpmn, .dmn or .form.",
        ),
    ]


class NewFiles(Files):
    note: Annotated[str, Field(max_length=500)] = ""


class DeployedShape(Shape):
    key: str
    version: int
    name: str


class Deployed(Shape):
    processes: list[DeployedShape]
    decisions: list[str]
    forms: list[str]


class ProblemShape(Shape):
    element: str
    name: str
    reason: str


class Linted(Shape):
    file: str
    deployable: bool
    problems: list[ProblemShape]


class SuspendProcess(WithReason):
    instances: bool = Field(default=False, description="Also those that run.")


class ResumeProcess(MaybeReason):
    instances: bool = Field(default=False, description="Also those that stand still.")


class Changed(Shape):
    instances: int = Field(description="How many instances were changed.")


@section.get("/processes", READERS)
def list_all(call: Call) -> Listed[ProcessShape]:
    """Every process, what is stuck and what is late first."""
    board = process_board(call.desk.uow, now=call.desk.clock.now())
    with call.desk.uow() as tx:
        still = tx.suspensions.processes()
    return Listed[ProcessShape](
        items=[
            ProcessShape(
                **{name: getattr(row, name) for name in _PLAIN},
                late=board.late_by_process.get(row.key, 0),
                standing_still=SuspensionShape.of(still.get(row.key)),
                last_day=shaped(TrendShape, board.trends.get(row.key, ())),
            )
            for row in board.processes
        ]
    )


_PLAIN = (
    *("key", "name", "version", "deployed_at", "deployed_by", "active", "suspended"),
    *("incidents", "forms", "oldest_at"),
)


@section.get("/processes/{key}", READERS)
def one(call: Call, key: ProcessKey, query: VersionQuery) -> ProcessStory:
    """One process: its versions and the elements of one of them."""
    found = process_page(call.desk.uow, call.desk.engine, key, version=query.version)
    return ProcessStory(
        key=found.key,
        name=found.name,
        versions=shaped(VersionShape, found.versions),
        steps=shaped(StepShape, found.steps),
    )


@section.get("/processes/{key}/heat", READERS)
def heat(call: Call, key: ProcessKey, query: HeatQuery) -> HeatMapShape:
    """Where tokens stand and how long they stayed and waited at each element.

    Times are whole hours; without a version all versions are counted together. With
    a search the figures are those of the last 1,000 instances that fit.
    """
    desk, now = call.desk, call.desk.clock.now()
    found = process_page(desk.uow, desk.engine, key, version=query.version)
    since = hour_of(query.since or now - USUAL_WINDOW)
    until = query.until or hour_of(now) + timedelta(hours=1)
    made = heat_map(
        desk.uow,
        key,
        found.steps,
        definition_id=found.definition_id,
        since=since,
        until=until,
        only=query.narrowed(key, found.definition_id),
    )
    return HeatMapShape(since=since, until=until, steps=shaped(HeatShape, made.steps))


@section.get("/processes/{key}/versions/{version}.bpmn", EVERYBODY, files=(XML,))
def model(call: Call, key: ProcessKey, version: Version) -> File:
    """The model of one version as it was deployed."""
    with call.desk.uow() as tx:
        return File(tx.definitions.of_version(key, version).xml, XML)


@section.get("/decisions/{key}.dmn", EVERYBODY, files=(XML,))
def decision(call: Call, key: FormId) -> File:
    """The latest decision table of this id."""
    with call.desk.uow() as tx:
        found = tx.definitions.decision(key)
    if found is None:
        raise NotFound(f"No decision {key} is deployed.")
    return File(found, XML)


@section.get("/forms/{form}", EVERYBODY)
def form(call: Call, form: FormId) -> FormFile:
    """The latest form of this id, as it was deployed."""
    with call.desk.uow() as tx:
        found = tx.definitions.form(form)
    if found is None:
        raise NotFound(f"No form {form} is deployed.")
    return FormFile(form=form, schema_=found)


@section.get("/starts", READERS)
def starts(call: Call) -> Listed[StartShape]:
    """Which messages, signals and timers start which process."""
    with call.desk.uow() as tx:
        found = tx.starts.listing()
    return Listed[StartShape](
        items=[
            StartShape(
                process=key,
                element=start.element,
                kind=start.kind,
                event=start.event if start.kind != "timer" else start.text,
                due_at=due_at,
            )
            for key, start, due_at in found
        ]
    )


@section.post("/models/lint", READERS | ADMINS)
def lint(call: Call, body: Files) -> Listed[Linted]:
    """Whether files can be executed exactly as drawn; nothing is changed."""
    return Listed[Linted](
        items=[
            Linted(
                file=name,
                deployable=not problems,
                problems=shaped(ProblemShape, problems),
            )
            for name, problems in _problems(call.desk.engine, body.files).items()
        ]
    )


@section.post("/models/deploy", ADMINS, status=201)
def deploy(call: Call, body: NewFiles) -> Deployed:
    """Deploy files, all or none; instances that run are not touched."""
    desk = call.desk
    contents = {name: text.encode() for name, text in body.files.items()}
    done = deploy_models(
        desk.uow,
        desk.engine,
        contents,
        by=call.by,
        note=body.note,
        now=desk.clock.now(),
    )
    return Deployed(
        processes=shaped(DeployedShape, done.definitions),
        decisions=done.decisions,
        forms=done.forms,
    )


@section.post("/processes/{key}/suspend", LEADERS)
def suspend(call: Call, key: ProcessKey, body: SuspendProcess) -> Changed:
    """Start no new instances of a process."""
    done = suspend_process(
        call.desk.uow, key, by=call.by, reason=body.reason, instances=body.instances
    )
    return Changed(instances=done)


@section.post("/processes/{key}/resume", LEADERS)
def resume(call: Call, key: ProcessKey, body: ResumeProcess) -> Changed:
    """Start instances of a process again."""
    with call.desk.uow() as tx:
        tx.definitions.latest(key)
    done = resume_process(
        call.desk.uow, key, by=call.by, reason=body.reason, instances=body.instances
    )
    return Changed(instances=done)


def _problems(engine: Engine, files: Mapping[str, str]) -> dict[str, list[Problem]]:
    found: dict[str, list[Problem]] = {}
    for name, text in files.items():
        content = text.encode()
        if name.endswith(".bpmn"):
            found[name] = engine.check(content)
        elif name.endswith(".dmn"):
            found[name] = engine.check_decisions(content)
        elif name.endswith(".form"):
            found[name] = check_form(content)
        else:
            reason = "only .bpmn, .dmn and .form can be deployed"
            found[name] = [Problem("", name, reason)]
    return found
