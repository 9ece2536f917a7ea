"""Repeat a finished instance from elements of an operator's choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from mpms.domain.errors import RepairRefused
from mpms.domain.instances.steps import StartAt
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import required


def restart_instance(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    elements: Iterable[str],
    *,
    variables: Mapping[str, Any] | None = None,
    latest: bool = False,
    by: str,
    reason: str,
) -> str:
    """Start a new instance where the old one shall go on; return its id.

    It has the old one's last variables, with ``variables`` over them, its business
    key, and its version unless ``latest``. It works for no caller: that one has heard
    of the end already.
    ReasonMissing, InstanceUnknown, RepairRefused, ElementUnknown, ProcessSuspended.
    """
    why = required(reason)
    places = tuple(elements)
    with uow() as tx:
        old = tx.instances.lock(instance_id)
        if not old.status.ended or old.snapshot is None:
            raise RepairRefused("Only an instance that has ended can be restarted.")
        running = tx.instances.restart_of(old.id)
        if running is not None:
            raise RepairRefused(f"It has been restarted already, as {running}.")
        definition = tx.definitions.by_id(old.definition_id)
        if latest:
            definition = tx.definitions.latest(old.key)
        new_id = str(uuid4())
        tx.instances.add(
            new_id,
            tx.definitions.id_of(definition),
            business_key=old.business_key,
            parent=None,
            restarted_from=old.id,
        )
        told = {"reason": why, "elements": list(places)}
        tx.events.append(
            "instance started",
            actor=by,
            instance_id=new_id,
            data={
                "process": definition.key,
                "version": definition.version,
                "key": old.business_key,
                "restarted_from": old.id,
                **told,
            },
        )
        tx.events.append(
            "restarted", actor=by, instance_id=old.id, data={"as": new_id, **told}
        )
        advance.hooks.restarted(tx, old.id, new_id, by=by)
        command = StartAt(places, {**old.snapshot.variables, **(variables or {})})
        advance(tx, tx.instances.lock(new_id), command, actor=by)
    return new_id
