"""Processes by the API: what is deployed, what runs, where time goes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from mpms.domain.instances.instances import Suspension
from mpms.domain.models.definitions import ModelStep
from mpms.ports.instances.rows import InstanceFilter
from mpms.ports.processes.cockpit import TrendHour, VersionRow
from mpms.services.processes.board import hour_of, process_board
from mpms.services.processes.heat_map import StepHeat, heat_map
from mpms.services.processes.page import process_page
from mpms.services.processes.suspend import resume_process, suspend_process
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import (
    Listed,
    MaybeReason,
    ProcessKey,
    Version,
    WithReason,
    shaped,
)
from mpms.web.rights import LEADERS, READERS

section = Section("Processes", "Models, decision tables and forms.")

USUAL_WINDOW = timedelta(days=7)


@like(TrendHour, without="seconds")
class TrendShape(Shape): ...


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


@like(VersionRow)
class VersionShape(Shape): ...


@like(ModelStep, without="groups")
class StepShape(Shape): ...


class ProcessStory(Shape):
    key: str
    name: str
    versions: list[VersionShape]
    steps: list[StepShape]


@like(StepHeat, without="levels")
class HeatShape(Shape): ...


class HeatMapShape(Shape):
    since: datetime
    until: datetime
    steps: list[HeatShape]


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

    def narrowed(self, key: str, definition_id: int | None) -> InstanceFilter | None:
        if not self.business_key and not self.variable:
            return None
        return InstanceFilter(
            key=key,
            definition_id=definition_id,
            business_key=self.business_key,
            name=self.variable,
            value=self.value if self.variable else None,
        )


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
