"""What all repairs share: one locked instance, one command, one line with who and why.

A repair is an ordinary step of the hub. Rows of tasks that go on are brought up to
date afterwards, because a repair may change what they tell; they keep their ids,
claims, drafts and attempts.
"""

from __future__ import annotations

from typing import Any, TypedDict

from mpms.domain.errors import ReasonMissing, TaskGone
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import Repair, Step
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance

MAX_REASON = 1000


class Why(TypedDict):
    """What every repair is told."""

    by: str
    reason: str


def required(reason: str) -> str:
    """The reason in characters that can be kept. ReasonMissing."""
    kept = "".join(c for c in reason if c.isprintable() or c in "\n\t").strip()
    if not kept:
        raise ReasonMissing
    return kept[:MAX_REASON]


def undoing(line: int | None) -> dict[str, Any]:
    """For the data of a line that takes back an earlier one."""
    return {} if line is None else {"undoes": line}


def apply_repair(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    command: Repair,
    *,
    kind: str,
    by: str,
    reason: str,
    data: dict[str, Any] | None = None,
) -> Step:
    """One repair in one transaction.

    ReasonMissing, InstanceUnknown, InstanceBusy, TaskGone, ElementUnknown,
    RepairRefused.
    """
    why = required(reason)
    with uow() as tx:
        instance = tx.instances.lock(instance_id)
        task_id = getattr(command, "task_id", None)
        tx.events.append(
            kind,
            actor=by,
            instance_id=instance.id,
            element=_element(tx, advance, instance, task_id),
            task_id=task_id,
            data={"reason": why, **(data or {})},
        )
        step = advance(tx, instance, command, actor=by)
        refresh(tx, instance, step)
    return step


def refresh(tx: Transaction, instance: Instance, step: Step) -> None:
    """Bring the rows of tasks that waited before and wait still up to date."""
    if step.status.ended:
        return
    opened = {wait.task_id for wait in step.opened}
    for wait in step.waits:
        if wait.task_id not in opened:
            tx.waits.refresh(instance.id, wait)


def _element(
    tx: Transaction, advance: Advance, instance: Instance, task_id: str | None
) -> str | None:
    """Where the task is. TaskGone, before anything is written."""
    if task_id is None:
        return None
    if instance.snapshot is None or instance.status.ended:
        raise TaskGone("The process has already ended.")
    definition = tx.definitions.by_id(instance.definition_id)
    for token in advance.engine.tokens(definition, instance.snapshot):
        if token.task_id == task_id:
            return token.element
    raise TaskGone("This task no longer exists; somebody or something was faster.")
