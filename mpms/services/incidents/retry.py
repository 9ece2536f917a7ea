"""Try again what an open incident stands for."""

from __future__ import annotations

from mpms.domain.errors import InstanceUnknown, NotFound, RepairRefused
from mpms.domain.incidents.incidents import Incident
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import CallWait, Retry, StuckWait
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance, open_call

NOTHING_OF_OURS = (
    "There is nothing to try again: the step still waits, and this closes by itself"
    " when it goes on."
)


def retry_incident(
    uow: UnitOfWork, advance: Advance, incident_id: int, *, by: str, reason: str = ""
) -> None:
    """Try again; a job begins with all its attempts. NotFound, InstanceBusy,
    RepairRefused."""
    with uow() as tx:
        incident = tx.incidents.get(incident_id)
        if incident is None or incident.instance_id is None or not incident.task_id:
            raise NotFound(f"There is no open incident {incident_id} to retry.")
        instance = tx.instances.lock(incident.instance_id)
        if tx.incidents.get(incident_id) is None:
            raise NotFound(f"Somebody else has retried incident {incident_id}.")
        retry_in(tx, advance, instance, incident, by=by, reason=reason)


def retry_in(
    tx: Transaction,
    advance: Advance,
    instance: Instance,
    incident: Incident,
    *,
    by: str,
    reason: str = "",
) -> None:
    """The same for a locked instance, in a transaction that does more."""
    task_id = incident.task_id
    if task_id is None:
        raise NotFound(f"There is nothing to retry about incident {incident.id}.")
    if not incident.retryable:
        raise RepairRefused(NOTHING_OF_OURS)
    advance.hooks.retried(tx, incident)
    tx.incidents.resolve(by=by, task_id=task_id)
    told = {"incident": incident.id, "message": incident.message}
    tx.events.append(
        "retry",
        actor=by,
        instance_id=instance.id,
        element=incident.element,
        task_id=task_id,
        data=told | ({"reason": reason} if reason else {}),
    )
    if incident.kind == "stuck":
        _step_again(tx, advance, instance, task_id, by)
    elif incident.kind == "call":
        _call_again(tx, advance, instance, task_id)
    elif not tx.jobs.reset(task_id):
        raise NotFound("The job of this incident is gone.")
    tx.wake()


def _step_again(
    tx: Transaction, advance: Advance, instance: Instance, task_id: str, by: str
) -> None:
    step = advance(tx, instance, Retry(task_id), actor=by)
    for wait in step.waits:
        if isinstance(wait, StuckWait) and wait.task_id == task_id:
            tx.incidents.open(
                "stuck",
                wait.reason,
                instance_id=instance.id,
                task_id=task_id,
                element=wait.element,
            )


def _call_again(
    tx: Transaction, advance: Advance, instance: Instance, task_id: str
) -> None:
    if instance.snapshot is None:
        raise InstanceUnknown()
    definition = tx.definitions.by_id(instance.definition_id)
    for wait in advance.engine.waits(definition, instance.snapshot):
        if isinstance(wait, CallWait) and wait.task_id == task_id:
            open_call(tx, instance, wait)
