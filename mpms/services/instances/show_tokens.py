"""Where an instance stands on its diagram."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork


@dataclass(frozen=True)
class Tokens:
    """What a diagram marks."""

    definition_id: int
    business_key: str | None
    status: str
    live: dict[str, int]  # element -> tokens that wait there
    names: dict[str, str]  # of those elements
    passed: tuple[str, ...]
    stuck: tuple[str, ...]  # elements with an open incident


def show_tokens(uow: UnitOfWork, engine: Engine, instance_id: str) -> Tokens:
    """Tokens, the way they came, and where they are stuck. InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        definition = tx.definitions.by_id(instance.definition_id)
        passed = tx.events.passed(instance_id)
        incidents = tx.incidents.listing(instance_id=instance_id)
    waits = (
        engine.waits(definition, instance.snapshot)
        if instance.snapshot is not None and not instance.status.ended
        else ()
    )
    return Tokens(
        instance.definition_id,
        instance.business_key,
        str(instance.status),
        dict(Counter(wait.element for wait in waits)),
        {wait.element: wait.name for wait in waits},
        tuple(sorted(passed)),
        tuple(sorted({i.element for i in incidents if i.element})),
    )
