"""An operator's hands by the API: everything that can be done to an instance."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mpms.services.instances.apply_repair import Why
from mpms.services.instances.repair import (
    cancel_activity,
    cancel_instance,
    move_token,
    restart_instance,
    resume_instance,
    set_variables,
    skip_activity,
    suspend_instance,
)
from mpms.services.instances.undo_repair import plan_undo, undo_repair
from mpms.web.api.instances import InstanceShape, shown
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.values import (
    InstanceId,
    MaybeReason,
    Name,
    RowId,
    TaskId,
    Variables,
    WithReason,
)
from mpms.web.rights import LEADERS

section = Section("Repair", "Instances that need a hand. Each call is in the history.")

Elements = Annotated[list[Name], Field(min_length=1, max_length=50)]


class SetVariables(WithReason):
    set: Variables = Field(default={})
    remove: Annotated[list[Name], Field(max_length=200)] = Field(default=[])
    task_id: TaskId | None = Field(
        default=None, description="Only those of this one task."
    )


class Skip(WithReason):
    variables: Variables = Field(default={}, description="What it would have brought.")


class Move(WithReason):
    to: Name = Field(description="The id of an element.")


class CancelInstance(WithReason):
    completed_manually: bool = Field(
        default=False, description="Its order was made by hand."
    )


class Restart(WithReason):
    elements: Elements = Field(description="Where it shall go on.")
    variables: Variables = Field(default={})
    latest: bool = Field(default=False, description="In the latest version.")


class Line(Given):
    line: RowId = Field(description="The line of the history that is taken back.")


class Undo(Line, WithReason):
    """Which line, and why."""


class UndoShape(Shape):
    """What taking back would do; what does not apply is empty."""

    line: int
    kind: str
    task_id: str | None
    element: str = Field(description="Where the token goes back to.")
    variables: dict[str, Any] = Field(description="Values that come back.")
    removed: list[str] = Field(description="Variables that go.")
    version: int = Field(description="Where the instance goes back to.")
    renamed: dict[str, str]


@section.post("/instances/{instance_id}/variables", LEADERS)
def variables(call: Call, instance_id: InstanceId, body: SetVariables) -> InstanceShape:
    """Set and remove variables."""
    desk, here = call.desk, str(instance_id)
    set_variables(
        desk.uow,
        desk.advance,
        here,
        body.set,
        removed=body.remove,
        task_id=None if body.task_id is None else str(body.task_id),
        **_why(call, body),
    )
    return shown(call, here)


@section.post("/instances/{instance_id}/tokens/{task_id}/skip", LEADERS)
def skip(
    call: Call, instance_id: InstanceId, task_id: TaskId, body: Skip
) -> InstanceShape:
    """Leave an activity without doing it."""
    desk, here = call.desk, str(instance_id)
    skip_activity(
        desk.uow,
        desk.advance,
        here,
        str(task_id),
        variables=body.variables,
        **_why(call, body),
    )
    return shown(call, here)


@section.post("/instances/{instance_id}/tokens/{task_id}/move", LEADERS)
def move(
    call: Call, instance_id: InstanceId, task_id: TaskId, body: Move
) -> InstanceShape:
    """Take a token to another element."""
    desk, here, why = call.desk, str(instance_id), _why(call, body)
    move_token(desk.uow, desk.advance, here, str(task_id), body.to, **why)
    return shown(call, here)


@section.post("/instances/{instance_id}/tokens/{task_id}/cancel", LEADERS)
def cancel_one(
    call: Call, instance_id: InstanceId, task_id: TaskId, body: WithReason
) -> InstanceShape:
    """Take a token away; without any other the instance is cancelled."""
    desk, here, why = call.desk, str(instance_id), _why(call, body)
    cancel_activity(desk.uow, desk.advance, here, str(task_id), **why)
    return shown(call, here)


@section.post("/instances/{instance_id}/suspend", LEADERS)
def suspend(call: Call, instance_id: InstanceId, body: WithReason) -> InstanceShape:
    """Let nothing move until it is resumed."""
    suspend_instance(call.desk.uow, str(instance_id), **_why(call, body))
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/resume", LEADERS)
def resume(call: Call, instance_id: InstanceId, body: MaybeReason) -> InstanceShape:
    """Let it go on."""
    resume_instance(call.desk.uow, str(instance_id), **_why(call, body))
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/cancel", LEADERS)
def cancel(call: Call, instance_id: InstanceId, body: CancelInstance) -> InstanceShape:
    """End an instance before its time."""
    desk, here, by_hand = call.desk, str(instance_id), body.completed_manually
    why = _why(call, body)
    cancel_instance(desk.uow, desk.advance, here, completed_manually=by_hand, **why)
    return shown(call, here)


@section.post("/instances/{instance_id}/restart", LEADERS, status=201)
def restart(call: Call, instance_id: InstanceId, body: Restart) -> InstanceShape:
    """Repeat an instance that has ended, from elements of your choice."""
    desk = call.desk
    new_id = restart_instance(
        desk.uow,
        desk.advance,
        str(instance_id),
        body.elements,
        variables=body.variables,
        latest=body.latest,
        **_why(call, body),
    )
    return shown(call, new_id)


@section.post("/instances/{instance_id}/undo", LEADERS)
def undo(call: Call, instance_id: InstanceId, body: Undo) -> InstanceShape:
    """Take back what somebody did to an instance, where a process allows it."""
    desk, here = call.desk, str(instance_id)
    undo_repair(desk.uow, desk.advance, here, body.line, **_why(call, body))
    return shown(call, here)


@section.post("/instances/{instance_id}/undo/plan", LEADERS)
def undo_plan(call: Call, instance_id: InstanceId, body: Line) -> UndoShape:
    """What taking back would do, or why it cannot be done; nothing is changed."""
    found = plan_undo(call.desk.uow, call.desk.engine, str(instance_id), body.line)
    return UndoShape(
        line=found.line.line,
        kind=found.line.kind,
        task_id=found.task_id,
        element=found.element,
        variables=dict(found.variables),
        removed=list(found.removed),
        version=found.version,
        renamed=dict(found.renamed),
    )


def _why(call: Call, body: WithReason | MaybeReason) -> Why:
    return Why(by=call.by, reason=body.reason)
