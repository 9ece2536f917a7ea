"""One instance as an operator must see it before changing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.errors import RepairRefused, TaskGone
from mpms.domain.incidents.incidents import Incident
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import LiveToken
from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork


@dataclass(frozen=True)
class InstanceView:
    """An instance with its tokens and what is wrong with it."""

    instance: Instance
    version: int
    tokens: tuple[LiveToken, ...]  # scopes before what is inside them
    incidents: tuple[Incident, ...]
    children: tuple[str, ...]


def show_instance(uow: UnitOfWork, engine: Engine, instance_id: str) -> InstanceView:
    """InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        definition = tx.definitions.by_id(instance.definition_id)
        incidents = tx.incidents.listing(instance_id=instance.id)
        children = tx.instances.children(instance.id)
    tokens: Sequence[LiveToken] = ()
    if instance.snapshot is not None and not instance.status.ended:
        tokens = engine.tokens(definition, instance.snapshot)
    return InstanceView(
        instance, definition.version, tuple(tokens), tuple(incidents), tuple(children)
    )


def find_task(uow: UnitOfWork, engine: Engine, instance_id: str, named: str) -> str:
    """The id of a live task, given as its id or as an element with one token on it.

    InstanceUnknown, TaskGone, RepairRefused.
    """
    found = find_tasks(uow, engine, instance_id, named)
    if len(found) > 1:
        listed = ", ".join(found)
        raise RepairRefused(f"{len(found)} tasks are at {named!r}; name one: {listed}.")
    return found[0]


def find_tasks(
    uow: UnitOfWork, engine: Engine, instance_id: str, named: str
) -> list[str]:
    """The ids of all live tasks that an id or an element names.

    InstanceUnknown, TaskGone if there is none.
    """
    tokens = show_instance(uow, engine, instance_id).tokens
    if any(token.task_id == named for token in tokens):
        return [named]
    # A loop and its turns are on one element: the loop as a whole comes first.
    ids = {token.task_id for token in tokens if token.element == named}
    outer = [t for t in tokens if t.task_id in ids and t.inside not in ids]
    if not outer:
        raise TaskGone(f"No live task is at {named!r}.")
    return [token.task_id for token in outer]
