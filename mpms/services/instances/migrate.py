"""Carry running instances over to another version of their process.

First the plan: which can go, and why the others cannot. Then each by itself, in one
transaction: it is wholly in the new version or untouched in the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from mpms.domain.errors import DatabaseAway, MpmsError, RepairRefused, TaskGone
from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.domain.models.definitions import Definition
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import refresh, required, undoing


@dataclass(frozen=True)
class Planned:
    """What would become of one instance."""

    instance_id: str
    version: int  # where it is now
    obstacles: tuple[str, ...] = ()  # why it cannot go

    @property
    def can_go(self) -> bool:
        return not self.obstacles


@dataclass(frozen=True)
class Migrated:
    """What became of one instance."""

    instance_id: str
    error: str | None = None  # why it stayed as it was


def plan_migration(
    uow: UnitOfWork,
    engine: Engine,
    key: str,
    to_version: int,
    *,
    from_version: int | None = None,
    instance_ids: Iterable[str] | None = None,
    renamed: Mapping[str, str] | None = None,
) -> list[Planned]:
    """Say of each instance whether it can go; nothing is changed.

    Without ``instance_ids`` all active instances of the process that are in another
    version, or in ``from_version``. ProcessUnknown, InstanceUnknown, ElementUnknown,
    RepairRefused.
    """
    with uow() as tx:
        new = tx.definitions.of_version(key, to_version)
        chosen = _chosen(tx, key, to_version, from_version, instance_ids)
    plan = []
    for instance_id in chosen:
        with uow() as tx:
            instance = tx.instances.get(instance_id)
            old = _old_version(tx, instance, new)
        found = () if old is None else _obstacles(engine, instance, old, new, renamed)
        if old is not None:
            plan.append(Planned(instance_id, old.version, tuple(found)))
    return plan


def plan_for(
    uow: UnitOfWork, engine: Engine, new: Definition, *, limit: int = 200
) -> list[Planned]:
    """As ``plan_migration``, to a version that is not deployed yet."""
    with uow() as tx:
        lines = tx.instances.find(
            key=new.key, status=InstanceStatus.ACTIVE, limit=limit
        )
    plan = []
    for line in lines:
        with uow() as tx:
            instance = tx.instances.get(line.id)
            old = _old_version(tx, instance, new)
        if old is not None:
            found = _obstacles(engine, instance, old, new, None)
            plan.append(Planned(line.id, old.version, tuple(found)))
    return plan


def migrate_instances(
    uow: UnitOfWork,
    advance: Advance,
    key: str,
    to_version: int,
    *,
    from_version: int | None = None,
    instance_ids: Iterable[str] | None = None,
    renamed: Mapping[str, str] | None = None,
    by: str,
    reason: str,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Migrated]:
    """Carry over what can go; say why the others stayed. ReasonMissing and as above."""
    why = required(reason)
    with uow() as tx:
        tx.definitions.of_version(key, to_version)
        chosen = _chosen(tx, key, to_version, from_version, instance_ids)
    results: list[Migrated] = []
    for instance_id in chosen:
        error = None
        try:
            migrate_instance(
                uow,
                advance,
                instance_id,
                to_version,
                renamed=renamed,
                by=by,
                reason=why,
            )
        except DatabaseAway:
            raise
        except MpmsError as failure:
            error = str(failure)
        results.append(Migrated(instance_id, error))
        progress(len(results), len(chosen))
    return results


def migrate_instance(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    to_version: int,
    *,
    renamed: Mapping[str, str] | None = None,
    by: str,
    reason: str,
    undoes: int | None = None,
) -> None:
    """Carry one instance over, or change nothing.

    ReasonMissing, MigrationRefused, ElementUnknown, TaskGone, RepairRefused,
    ProcessUnknown, InstanceUnknown, InstanceBusy.
    """
    why = required(reason)
    with uow() as tx:
        instance = tx.instances.lock(instance_id)
        new = tx.definitions.of_version(instance.key, to_version)
        old = _old_version(tx, instance, new)
        if old is None or instance.snapshot is None:
            raise TaskGone("The process has ended already, or has not begun yet.")
        if old.version == new.version:
            raise RepairRefused(f"It is in version {new.version} already.")
        step = advance.engine.migrate(
            old,
            new,
            instance.snapshot,
            dict(renamed or {}),
            now=advance.clock.now(),
            business_key=instance.business_key,
            decisions=partial(
                tx.definitions.decision, caller=tx.definitions.id_of(new)
            ),
        )
        tx.events.append(
            "migrated",
            actor=by,
            instance_id=instance.id,
            data={
                "from": old.version,
                "to": new.version,
                "renamed": dict(renamed or {}),
                "reason": why,
                **undoing(undoes),
            },
        )
        tx.instances.set_definition(instance.id, tx.definitions.id_of(new))
        advance.write(tx, instance, step, actor=by)
        refresh(tx, instance, step)


def _chosen(
    tx: Transaction,
    key: str,
    to_version: int,
    from_version: int | None,
    instance_ids: Iterable[str] | None,
) -> list[str]:
    if instance_ids is not None:
        chosen = list(dict.fromkeys(instance_ids))
        for instance_id in chosen:
            if tx.instances.get(instance_id).key != key:
                raise RepairRefused(f"{instance_id} is not an instance of {key}.")
        return chosen
    found = tx.instances.find(
        key=key, version=from_version, status=InstanceStatus.ACTIVE, limit=None
    )
    return [line.id for line in reversed(found) if line.version != to_version]


def _old_version(
    tx: Transaction, instance: Instance, new: Definition
) -> Definition | None:
    """The version an instance is in; None if it has ended or not begun."""
    if instance.status.ended or instance.snapshot is None:
        return None
    return tx.definitions.by_id(instance.definition_id)


def _obstacles(
    engine: Engine,
    instance: Instance,
    old: Definition,
    new: Definition,
    renamed: Mapping[str, str] | None,
) -> Iterable[str]:
    if old.version == new.version:
        return [f"It is in version {new.version} already."]
    if instance.snapshot is None:
        return ()
    return engine.obstacles(old, new, instance.snapshot, dict(renamed or {}))
