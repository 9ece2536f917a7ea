"""Hand over what lies ready for an instance: one delivery or due timer at a time."""

from __future__ import annotations

from typing import Any

from mpms.domain.errors import TaskGone
from mpms.domain.steps import (
    Cancel,
    Command,
    Complete,
    Fail,
    Fire,
    Receive,
    Retry,
    Start,
    Throw,
)
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.advance_instance import Advance

ACTOR = "mpms"


def deliver_one(uow: UnitOfWork, advance: Advance) -> bool:
    """Deliver the oldest waiting command; False if there was none."""
    with uow() as tx:
        claimed = tx.deliveries.claim()
        if claimed is None:
            return False
        _, instance_id, kind, task_id, data = claimed
        command = _command(kind, task_id or "", data)
        applied = _apply(tx, advance, instance_id, command)
        if not applied and data.get("kind") == "message":
            tx.deliveries.throw(_message(data))
        return True


def fire_one(uow: UnitOfWork, advance: Advance) -> bool:
    """Fire one due timer; False if none is due."""
    with uow() as tx:
        due = tx.timers.claim_due(advance.clock.now())
        if due is None:
            return False
        instance_id, task_id = due
        _apply(tx, advance, instance_id, Fire(task_id))
        return True


def _apply(
    tx: Transaction, advance: Advance, instance_id: str, command: Command
) -> bool:
    instance = tx.instances.lock(instance_id)
    try:
        step = advance(tx, instance, command, actor=ACTOR)
    except TaskGone:
        # It moved on while this lay waiting: the race is decided, nothing is owed.
        task_id = getattr(command, "task_id", None)
        tx.waits.close(instance_id, [task_id] if task_id else [])
        tx.events.append(
            "dropped",
            actor=ACTOR,
            instance_id=instance_id,
            task_id=task_id,
            data={"command": type(command).__name__},
        )
        return False
    if not step.caught and isinstance(command, Fail):
        tx.incidents.open(
            "call",
            f"{command.code}: {command.message}",
            instance_id=instance_id,
            task_id=command.task_id,
        )
    return True


def _message(data: dict[str, Any]) -> Throw:
    """A message that came too late for its task; it belongs to whoever waits next."""
    return Throw(
        "message", data["event"], data.get("correlation"), data.get("variables", {})
    )


def _command(kind: str, task_id: str, data: dict[str, Any]) -> Command:
    match kind:
        case "start":
            return Start(data.get("variables", {}))
        case "receive":
            return Receive(task_id, data.get("variables", {}))
        case "complete":
            return Complete(task_id, data.get("variables", {}))
        case "fail":
            return Fail(task_id, data["code"], data.get("message", ""))
        case "retry":
            return Retry(task_id)
        case "cancel":
            return Cancel(data.get("reason", ""))
    raise ValueError(f"unknown kind of delivery: {kind}")
