"""Hand over what lies ready for an instance: one delivery or due timer at a time."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from mpms.domain.errors import DatabaseAway, InstanceBusy, TaskGone
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import (
    Cancel,
    Command,
    Complete,
    Escalate,
    Fail,
    Fire,
    Hear,
    Receive,
    Retry,
    Start,
    Throw,
)
from mpms.ports.instances.deliveries import Delivery
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.incidents.open import open_incident
from mpms.services.instances.advance import Advance

log = logging.getLogger(__name__)

ACTOR = "mpms"
AGAIN_S = 60.0
AT_ONCE = 25


def deliver_one(uow: UnitOfWork, advance: Advance) -> bool:
    """Deliver the oldest waiting command; False if there was none."""
    delivery: Delivery | None = None
    try:
        with uow() as tx:
            delivery = tx.deliveries.claim()
            if delivery is None:
                return False
            task_id, data = delivery.task_id or "", delivery.data
            command = _command(delivery.kind, task_id, data)
            if delivery.kind == "start" and "trigger" in data:
                _tell_start(tx, delivery)
            applied = _apply(
                tx,
                advance,
                delivery.instance_id,
                command,
                incident=data.get("incident", "call"),
            )
            if not applied and data.get("kind") == "message":
                tx.deliveries.throw(_message(data))
            if delivery.failures:
                tx.incidents.resolve(
                    by=ACTOR, instance_id=delivery.instance_id, kind="step"
                )
    except (DatabaseAway, InstanceBusy):
        raise
    except Exception as failure:
        if delivery is None:
            raise
        with uow() as tx:
            tx.deliveries.postpone(delivery.id, AGAIN_S)
            _hold(tx, delivery.instance_id, failure)
    return True


def fire_some(uow: UnitOfWork, advance: Advance, most: int = AT_ONCE) -> int:
    """Fire due timers in one transaction; how many.

    Many fall due together, at the end of a shift or after a night without power, and
    a commit costs more than a step. If one of them fails they are fired one by one;
    once one has to do with messages the others come later, since all messages wait.
    """
    try:
        with uow() as tx:
            due = tx.timers.claim_due(advance.clock.now(), most)
            for instance, task_id in due:
                # The first of an instance finds it as it was read.
                known = None if instance.id in tx.instances.saved else instance
                _apply(tx, advance, instance.id, Fire(task_id), known=known)
                if tx.deliveries.locks_messages:
                    break
            return len(due)
    except (DatabaseAway, InstanceBusy):
        raise
    except Exception:
        return sum(fire_one(uow, advance) for _ in range(most))


def fire_one(uow: UnitOfWork, advance: Advance) -> bool:
    """Fire one due timer; False if none is due."""
    due: list[tuple[Instance, str]] = []
    try:
        with uow() as tx:
            due = tx.timers.claim_due(advance.clock.now(), 1)
            for instance, task_id in due:
                _apply(tx, advance, instance.id, Fire(task_id), known=instance)
    except (DatabaseAway, InstanceBusy):
        raise
    except Exception as failure:
        if not due:
            raise
        with uow() as tx:
            again_at = advance.clock.now() + timedelta(seconds=AGAIN_S)
            tx.waits.move_timer(due[0][1], again_at)
            _hold(tx, due[0][0].id, failure)
    return bool(due)


def _hold(tx: Transaction, instance_id: str, failure: Exception) -> None:
    """A step that cannot be taken is an incident of its instance alone."""
    log.error("instance %s cannot take its next step", instance_id, exc_info=failure)
    open_incident(
        tx,
        "step",
        f"The process cannot take its next step and tries again every {AGAIN_S:g} s:"
        f" {failure}",
        actor=ACTOR,
        instance_id=instance_id,
    )


def _apply(
    tx: Transaction,
    advance: Advance,
    instance_id: str,
    command: Command,
    *,
    incident: str = "call",
    known: Instance | None = None,
) -> bool:
    """``known``: the instance, where it is locked and read already."""
    instance = known or tx.instances.lock(instance_id)
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
        said = dict.fromkeys((command.code, command.message))  # often the same
        at = (w.element for w in step.waits if w.task_id == command.task_id)
        open_incident(
            tx,
            incident,
            ": ".join(filter(None, said)),
            actor=ACTOR,
            instance_id=instance_id,
            task_id=command.task_id,
            element=next(at, None),
        )
    return True


def _tell_start(tx: Transaction, delivery: Delivery) -> None:
    """A message or signal has started this instance."""
    instance = tx.instances.get(delivery.instance_id)
    definition = tx.definitions.by_id(instance.definition_id)
    tx.events.append(
        "instance started",
        actor=ACTOR,
        instance_id=instance.id,
        data={
            "process": definition.key,
            "version": definition.version,
            "key": instance.business_key,
            "at": delivery.data["at"],
            delivery.data["trigger"]: delivery.data["event"],
        },
    )


def _message(data: dict[str, Any]) -> Throw:
    """A message that came too late for its task; it belongs to whoever waits next."""
    return Throw(
        "message", data["event"], data.get("correlation"), data.get("variables", {})
    )


def _command(kind: str, task_id: str, data: dict[str, Any]) -> Command:
    match kind:
        case "start":
            return Start(data.get("variables", {}), data.get("at"))
        case "receive":
            return Receive(task_id, data.get("variables", {}))
        case "complete":
            return Complete(task_id, data.get("variables", {}), data.get("local", {}))
        case "fail":
            message, variables = data.get("message", ""), data.get("variables", {})
            return Fail(task_id, data["code"], message, variables)
        case "escalate":
            return Escalate(task_id, data["code"], data.get("variables", {}))
        case "hear":
            return Hear(task_id, tuple(data["events"]))
        case "retry":
            return Retry(task_id)
        case "cancel":
            return Cancel(data.get("reason", ""))
    raise ValueError(f"unknown kind of delivery: {kind}")
