"""Instances carried over to another version by the API: proposed, planned, done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field

from mpms.services.instances.migrate import (
    Planned,
    migrate_instances,
    plan_migration,
)
from mpms.services.instances.propose_migration import propose_migration
from mpms.web.api.models import section as models
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.processes import StepShape
from mpms.web.api.repairs import section
from mpms.web.api.values import (
    InstanceId,
    Listed,
    Name,
    ProcessKey,
    Reason,
    Version,
    shaped,
)
from mpms.web.rights import ADMINS, LEADERS

__all__ = ["section"]

Renamed = Annotated[dict[Name, Name], Field(max_length=500)]
Some = Annotated[list[InstanceId], Field(min_length=1, max_length=500)]


class PlannedInstance(Shape):
    instance_id: str
    version: int
    can_go: bool
    obstacles: list[str]
    business_key: str | None = None


class ProposalShape(Shape):
    old: int | None
    new: int
    planned: list[PlannedInstance]
    gone: list[StepShape] = Field(description="Steps that the new version lacks.")
    come: list[StepShape] = Field(description="What a gone step may have become.")
    renamed: dict[str, str]


class Propose(Given):
    version: Version = Field(description="Where they shall go.")
    from_version: Version | None = None
    renamed: Annotated[dict[str, str], Field(max_length=500)] | None = None


class Plan(Given):
    to_version: Version
    from_version: Version | None = None
    instances: Some | None = Field(default=None, description="Without it all that run.")
    renamed: Renamed = Field(default={}, description="Old ids of elements to new ones.")

    def ids(self) -> list[str] | None:
        return None if self.instances is None else list(map(str, self.instances))


class Migrate(Plan):
    reason: Reason


class Migrated(Shape):
    instance_id: str
    error: str | None


@models.post("/models/{key}/proposal", ADMINS)
def propose(call: Call, key: ProcessKey, body: Propose) -> ProposalShape:
    """Which running instances can go to a version; nothing is changed."""
    found = propose_migration(
        call.desk.uow,
        call.desk.engine,
        key,
        body.version,
        from_version=body.from_version,
        renamed=body.renamed,
    )
    return ProposalShape(
        old=None if found.old is None else found.old.version,
        new=found.new.version,
        planned=_planned(found.planned, found.business_keys),
        gone=shaped(StepShape, found.gone),
        come=shaped(StepShape, found.come),
        renamed=dict(found.renamed),
    )


@section.post("/processes/{key}/migration/plan", LEADERS)
def plan(call: Call, key: ProcessKey, body: Plan) -> Listed[PlannedInstance]:
    """Which instances can go to another version, and why others cannot."""
    found = plan_migration(
        call.desk.uow,
        call.desk.engine,
        key,
        body.to_version,
        from_version=body.from_version,
        instance_ids=body.ids(),
        renamed=body.renamed,
    )
    return Listed[PlannedInstance](items=_planned(found, {}))


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
        instance_ids=body.ids(),
        renamed=body.renamed,
        by=call.by,
        reason=body.reason,
    )
    return Listed[Migrated](items=shaped(Migrated, done))


def _planned(
    rows: Iterable[Planned], business_keys: Mapping[str, str | None]
) -> list[PlannedInstance]:
    return [
        PlannedInstance(
            instance_id=one.instance_id,
            version=one.version,
            can_go=one.can_go,
            obstacles=list(one.obstacles),
            business_key=business_keys.get(one.instance_id),
        )
        for one in rows
    ]
