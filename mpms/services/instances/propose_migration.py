"""After a deployment: which running instances can go to the new version.

Nothing is changed here. Steps that are gone are offered to be named anew, since a step
that was only renamed would otherwise keep everybody who stands at it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpms.domain.errors import ProcessUnknown
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.models.definitions import ModelStep
from mpms.ports.engine import Engine
from mpms.ports.models.models import DeployedRow
from mpms.ports.store import UnitOfWork
from mpms.services.instances.migrate import Planned, plan_migration

MOST_LOOKED_AT = 200


@dataclass(frozen=True)
class Proposal:
    """Instances of one version, and what would become of them in another."""

    old: DeployedRow | None  # None: nothing runs in another version
    new: DeployedRow
    others: Sequence[DeployedRow]  # versions that something runs in, newest first
    planned: Sequence[Planned]
    business_keys: Mapping[str, str | None]
    gone: Sequence[ModelStep]  # steps of the old version that the new one lacks
    come: Sequence[ModelStep]  # steps that a gone one may have become
    renamed: Mapping[str, str]

    @property
    def key(self) -> str:
        return self.new.key

    @property
    def name(self) -> str:
        return self.new.name or self.key

    @property
    def can_go(self) -> Sequence[Planned]:
        return [one for one in self.planned if one.can_go]

    @property
    def must_stay(self) -> Sequence[Planned]:
        return [one for one in self.planned if not one.can_go]

    @property
    def obstacles(self) -> Sequence[tuple[str, int]]:
        """Why they must stay, the most frequent first."""
        counted = Counter(text for one in self.planned for text in one.obstacles)
        return counted.most_common()

    @property
    def unseen(self) -> int:
        """Instances beyond those that were looked at one by one."""
        return max(0, (self.old.active if self.old else 0) - MOST_LOOKED_AT)


def propose_migration(
    uow: UnitOfWork,
    engine: Engine,
    key: str,
    version: int,
    *,
    from_version: int | None = None,
    renamed: Mapping[str, str] | None = None,
) -> Proposal:
    """Without ``from_version`` the one that most instances run. ProcessUnknown,
    ElementUnknown."""
    with uow() as tx:
        versions = [row for row in tx.models.processes() if row.key == key]
        new = next((row for row in versions if row.version == version), None)
        if new is None:
            raise ProcessUnknown(f"Version {version} of {key} is not deployed.")
        others = [row for row in versions if row.active and row is not new]
        wished = [row for row in others if row.version == from_version]
        busiest = sorted(others, key=lambda row: row.active, reverse=True)
        old = next(iter(wished or busiest), None)
        if old is None:
            return Proposal(None, new, others, (), {}, (), (), {})
        lines = tx.instances.find(
            key=key,
            version=old.version,
            status=InstanceStatus.ACTIVE,
            limit=MOST_LOOKED_AT,
        )
        before = engine.steps(tx.definitions.of_version(key, old.version))
        after = engine.steps(tx.definitions.of_version(key, version))
    there = {step.id for step in after}
    gone = [step for step in before if step.id not in there]
    named = {one: to for one, to in (renamed or {}).items() if to in there}
    named = {one: to for one, to in named.items() if one in {g.id for g in gone}}
    planned = plan_migration(
        uow, engine, key, version, instance_ids=[x.id for x in lines], renamed=named
    )
    return Proposal(
        old,
        new,
        others,
        planned,
        {line.id: line.business_key for line in lines},
        gone,
        after,
        named,
    )
