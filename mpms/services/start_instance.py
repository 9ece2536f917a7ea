"""Start a process: by its key, with variables, in one transaction."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from mpms.domain.steps import Start
from mpms.ports.store import Transaction
from mpms.services.advance_instance import Advance


def start_instance(
    tx: Transaction,
    advance: Advance,
    key: str,
    *,
    variables: dict[str, Any] | None = None,
    business_key: str | None = None,
    actor: str,
) -> str:
    """Start the latest version and return the instance's id. ProcessUnknown."""
    definition = tx.definitions.latest(key)
    instance_id = str(uuid4())
    tx.instances.add(
        instance_id,
        tx.definitions.id_of(definition),
        business_key=business_key,
        parent=None,
    )
    tx.events.append(
        "instance started",
        actor=actor,
        instance_id=instance_id,
        data={"process": key, "version": definition.version, "key": business_key},
    )
    instance = tx.instances.lock(instance_id)
    advance(tx, instance, Start(variables or {}), actor=actor)
    return instance_id
