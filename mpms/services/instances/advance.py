"""The only hub: one command to one instance, everything it causes in one transaction.

The caller has locked the instance row. The engine steps in memory; then state, work,
timers, subscriptions, incidents and history are written together. Nothing here does
I/O beyond the database, and nothing calls back: what must happen next is a row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

from mpms.domain.errors import (
    InstanceSuspended,
    ProcessSuspended,
    ProcessUnknown,
    TaskGone,
)
from mpms.domain.instances.instances import Instance, InstanceStatus, Parent
from mpms.domain.instances.steps import (
    CallWait,
    Cancel,
    Command,
    EventWait,
    FormWait,
    JobWait,
    Repair,
    Retry,
    Step,
    StuckWait,
    TimerWait,
    Variables,
    Wait,
)
from mpms.domain.trace import tracing
from mpms.ports.clock import Clock
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction
from mpms.services.incidents.open import open_incident
from mpms.services.instances.hooks import InstanceHooks

DEEPEST_CALL = 50  # processes that call each other; more is a loop without an end
BY_OPERATORS = Cancel | Repair | Retry  # may be done to what is suspended


@dataclass(frozen=True)
class Advance:
    """Moves instances; built once, with the hooks of plug-ins."""

    engine: Engine
    clock: Clock
    hooks: InstanceHooks = field(default_factory=InstanceHooks)

    def __call__(
        self, tx: Transaction, instance: Instance, command: Command, *, actor: str
    ) -> Step:
        """Apply a command to a locked instance.

        Raises TaskGone if the command's task no longer waits. ``Step.caught`` is
        False for an error that the model does not catch; nothing was written then.
        """
        if instance.status.ended:
            raise TaskGone("The process has already ended.")
        if instance.suspended is not None and not isinstance(command, BY_OPERATORS):
            raise InstanceSuspended(f"This process is {instance.suspended}.")
        definition = tx.definitions.by_id(instance.definition_id)
        with tracing(instance=instance.id, order=instance.business_key):
            step = self.engine.advance(
                definition,
                instance.snapshot,
                command,
                now=self.clock.now(),
                business_key=instance.business_key,
                decisions=partial(
                    tx.definitions.decision, caller=instance.definition_id
                ),
            )
            if step.caught:
                self.write(tx, instance, step, actor=actor)
        return step

    def write(
        self, tx: Transaction, instance: Instance, step: Step, *, actor: str
    ) -> None:
        """Write everything that a step of a locked instance changed."""
        _close(tx, instance, step)
        for wait in step.opened:
            _open(tx, instance, wait)
        for throw in step.throws:
            tx.deliveries.throw(throw, by=instance.id)
        lines: list[tuple[str, str | None, str | None, Variables]] = [
            (line.kind, line.element, line.task_id, line.data) for line in step.trace
        ]
        if step.status.ended:
            code = {} if step.error is None else {"code": step.error[0]}
            lines.append((f"instance {step.status}", None, None, code))
        tx.events.append_many(instance.id, actor, lines)
        reason = None if step.error is None else ": ".join(filter(None, step.error))
        tx.instances.save(instance.id, step.snapshot, step.status, reason)
        if instance.parent is not None:
            for told in step.escalations:
                data = {"code": told.code, "variables": told.variables}
                caller, task_id = instance.parent.instance_id, instance.parent.task_id
                tx.deliveries.add(caller, "escalate", task_id=task_id, data=data)
        if step.status.ended:
            self.hooks.ended(tx, instance, step.status, by=actor)
            _end(tx, instance, step)
        tx.wake()


def _close(tx: Transaction, instance: Instance, step: Step) -> None:
    if not step.closed:
        return
    tx.waits.close_waits(instance.id, step.closed)
    for wait in step.closed:
        if isinstance(wait, JobWait | CallWait | StuckWait | FormWait):
            tx.incidents.resolve_with_task(wait.task_id, by="process")
        if isinstance(wait, CallWait):
            for child in tx.instances.children(instance.id, wait.task_id):
                if not tx.instances.get(child).status.ended:
                    why = {"reason": "caller went on"}
                    tx.deliveries.add(child, "cancel", data=why)


def _open(tx: Transaction, instance: Instance, wait: Wait) -> None:
    match wait:
        case FormWait():
            tx.waits.open_form(instance.id, wait)
        case JobWait():
            tx.waits.open_job(instance.id, wait)
        case TimerWait():
            tx.waits.open_timer(instance.id, wait)
        case EventWait():
            tx.waits.open_subscription(instance.id, wait)
            if wait.kind == "message":
                tx.deliveries.match(wait, instance.id)
        case CallWait():
            open_call(tx, instance, wait)
        case StuckWait():
            tx.incidents.open(
                "stuck",
                wait.reason,
                instance_id=instance.id,
                task_id=wait.task_id,
                element=wait.element,
            )


def open_call(tx: Transaction, instance: Instance, wait: CallWait) -> None:
    """Start the called process as an instance of its own."""
    if (
        instance.parent is not None
        and tx.instances.depth(instance.id, limit=DEEPEST_CALL) >= DEEPEST_CALL
    ):
        why = (
            f"Calls lead {DEEPEST_CALL} processes deep: does this process call itself,"
            " or do others that it calls? It was not called again."
        )
        _not_called(tx, instance, wait, why)
        return
    try:
        definition = tx.definitions.bound(
            wait.called, wait.binding, caller=instance.definition_id
        )
    except ProcessUnknown as unknown:
        _not_called(tx, instance, wait, str(unknown))
        return
    child = str(uuid4())
    try:
        tx.instances.add(
            child,
            tx.definitions.id_of(definition),
            business_key=wait.business_key or instance.business_key,
            parent=Parent(instance.id, wait.task_id),
        )
    except ProcessSuspended as suspended:
        _not_called(tx, instance, wait, str(suspended))
        return
    tx.events.append(
        "instance started",
        actor=instance.key,
        instance_id=child,
        data={
            "process": definition.key,
            "version": definition.version,
            "key": wait.business_key or instance.business_key,
            "caller": instance.id,
        },
    )
    tx.deliveries.add(child, "start", data={"variables": wait.inputs})


def _not_called(tx: Transaction, instance: Instance, wait: CallWait, why: str) -> None:
    open_incident(
        tx,
        "call",
        why,
        actor=instance.key,
        instance_id=instance.id,
        task_id=wait.task_id,
        element=wait.element,
    )


def _end(tx: Transaction, instance: Instance, step: Step) -> None:
    if instance.parent is None:
        return
    parent, task_id = instance.parent.instance_id, instance.parent.task_id
    if step.status is InstanceStatus.COMPLETED:
        results = {"variables": step.snapshot.variables}
        tx.deliveries.add(parent, "complete", task_id=task_id, data=results)
    else:
        code, message = step.error or ("Cancelled", "the called process was cancelled")
        failure = {"code": code, "message": message}
        tx.deliveries.add(parent, "fail", task_id=task_id, data=failure)
