"""An operator's hands by the API: everything that can be done to an instance."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mpms.services.migrate_instances import migrate_instances, plan_migration
from mpms.services.repair_instance import (
    cancel_activity,
    cancel_instance,
    move_token,
    restart_instance,
    resume_instance,
    set_variables,
    skip_activity,
    suspend_instance,
)
from mpms.services.undo_repair import undo_repair
from mpms.web.api.instances import InstanceShape, shown
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.values import (
    InstanceId,
    Listed,
    MaybeReason,
    Name,
    ProcessKey,
    RowId,
    TaskId,
    Variables,
    Version,
    WithReason,
)
from mpms.web.rights import LEADERS

section = Section("Repair", "Instances that need a hand. Each call is in the history.")

Elements = Annotated[list[Name], Field(min_length=1, max_length=50)]
Renamed = Annotated[dict[Name, Name], Field(max_length=500)]
Some = Annotated[list[InstanceId], Field(min_length=1, max_length=500)]


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


class Undo(WithReason):
    line: RowId = Field(description="The line of the history that is taken back.")


class Plan(Given):
    to_version: Version
    from_version: Version | None = None
    instances: Some | None = Field(default=None, description="Without it all that run.")
    renamed: Renamed = Field(default={}, description="Old ids of elements to new ones.")


class Migrate(Plan):
    reason: Annotated[str, Field(min_length=1, max_length=1000)]


class Planned(Shape):
    instance_id: str
    version: int
    can_go: bool
    obstacles: list[str]


class Migrated(Shape):
    instance_id: str
    error: str | None


@section.post("/instances/{instance_id}/variables", LEADERS)
def variables(call: Call, instance_id: InstanceId, body: SetVariables) -> InstanceShape:
    """Set and remove variables."""
    desk = call.desk
    set_variables(
        desk.uow,
        desk.advance,
        str(instance_id),
        body.set,
        removed=body.remove,
        task_id=None if body.task_id is None else str(body.task_id),
        by=call.by,
        reason=body.reason,
    )
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/tokens/{task_id}/skip", LEADERS)
def skip(
    call: Call, instance_id: InstanceId, task_id: TaskId, body: Skip
) -> InstanceShape:
    """Leave an activity without doing it."""
    desk = call.desk
    skip_activity(
        desk.uow,
        desk.advance,
        str(instance_id),
        str(task_id),
        variables=body.variables,
        by=call.by,
        reason=body.reason,
    )
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/tokens/{task_id}/move", LEADERS)
def move(
    call: Call, instance_id: InstanceId, task_id: TaskId, body: Move
) -> InstanceShape:
    """Take a token to another element."""
    desk = call.desk
    move_token(
        desk.uow,
        desk.advance,
        str(instance_id),
        str(task_id),
        body.to,
        by=call.by,
        reason=body.reason,
    )
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/tokens/{task_id}/cancel", LEADERS)
def cancel_one(
    call: Call, instance_id: InstanceId, task_id: TaskId, body: WithReason
) -> InstanceShape:
    """Take a token away; without any other the instance is cancelled."""
    desk = call.desk
    cancel_activity(
        desk.uow,
        desk.advance,
        str(instance_id),
        str(task_id),
        by=call.by,
        reason=body.reason,
    )
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/suspend", LEADERS)
def suspend(call: Call, instance_id: InstanceId, body: WithReason) -> InstanceShape:
    """Let nothing move until it is resumed."""
    suspend_instance(call.desk.uow, str(instance_id), by=call.by, reason=body.reason)
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/resume", LEADERS)
def resume(call: Call, instance_id: InstanceId, body: MaybeReason) -> InstanceShape:
    """Let it go on."""
    resume_instance(call.desk.uow, str(instance_id), by=call.by, reason=body.reason)
    return shown(call, str(instance_id))


@section.post("/instances/{instance_id}/cancel", LEADERS)
def cancel(call: Call, instance_id: InstanceId, body: CancelInstance) -> InstanceShape:
    """End an instance before its time."""
    desk = call.desk
    cancel_instance(
        desk.uow,
        desk.advance,
        str(instance_id),
        by=call.by,
        reason=body.reason,
        completed_manually=body.completed_manually,
    )
    return shown(call, str(instance_id))


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
        by=call.by,
        reason=body.reason,
    )
    return shown(call, new_id)


@section.post("/instances/{instance_id}/undo", LEADERS)
def undo(call: Call, instance_id: InstanceId, body: Undo) -> InstanceShape:
    """Take back what somebody did to an instance, where a process allows it."""
    desk = call.desk
    undo_repair(
        desk.uow,
        desk.advance,
        str(instance_id),
        body.line,
        by=call.by,
        reason=body.reason,
    )
    return shown(call, str(instance_id))


@section.post("/processes/{key}/migration/plan", LEADERS)
def plan(call: Call, key: ProcessKey, body: Plan) -> Listed[Planned]:
    """Which instances can go to another version, and why others cannot."""
    found = plan_migration(
        call.desk.uow,
        call.desk.engine,
        key,
        body.to_version,
        from_version=body.from_version,
        instance_ids=_ids(body),
        renamed=body.renamed,
    )
    return Listed[Planned](
        items=[
            Planned(
                instance_id=one.instance_id,
                version=one.version,
                can_go=one.can_go,
                obstacles=list(one.obstacles),
            )
            for one in found
        ]
    )


@section.post("/processes/{key}/migration", LEADERS)
def migrate(call: Call, key: ProcessKey, body: Migrate) -> Listed[Migrated]:
    """Carry instances over to another version; says which stayed and why."""
    desk = call.desk
    done = migrate_instances(
        desk.uow,
        desk.advance,
        key,
        body.to_version,
        from_version=body.from_version,
        instance_ids=_ids(body),
        renamed=body.renamed,
        by=call.by,
        reason=body.reason,
    )
    return Listed[Migrated](items=[Migrated.model_validate(one) for one in done])


def _ids(body: Plan) -> list[str] | None:
    return None if body.instances is None else [str(one) for one in body.instances]
