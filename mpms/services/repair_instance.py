"""An operator's hands: retry what is stuck, cancel an instance; each in the history."""

from __future__ import annotations

from mpms.domain.errors import InstanceUnknown, NotFound
from mpms.domain.instances import Instance
from mpms.domain.steps import CallWait, Cancel, Retry, StuckWait
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.advance_instance import Advance, open_call


def retry_incident(
    uow: UnitOfWork, advance: Advance, incident_id: int, *, by: str
) -> None:
    """Try again what an open incident stands for."""
    with uow() as tx:
        incident = next(
            (i for i in tx.incidents.listing() if i.id == incident_id), None
        )
        if incident is None or incident.instance_id is None or not incident.task_id:
            raise NotFound(f"There is no open incident {incident_id} to retry.")
        instance = tx.instances.lock(incident.instance_id)
        tx.incidents.resolve(by=by, task_id=incident.task_id)
        tx.events.append(
            "retry",
            actor=by,
            instance_id=instance.id,
            element=incident.element,
            task_id=incident.task_id,
            data={"incident": incident_id, "message": incident.message},
        )
        if incident.kind == "stuck":
            _step_again(tx, advance, instance, incident.task_id, by)
        elif incident.kind == "call":
            _call_again(tx, advance, instance, incident.task_id)
        elif not tx.jobs.reset(incident.task_id):
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


def cancel_instance(
    uow: UnitOfWork, advance: Advance, instance_id: str, *, by: str, reason: str
) -> None:
    """End an instance now, with everything it waits for."""
    with uow() as tx:
        instance = tx.instances.lock(instance_id)
        tx.events.append(
            "cancel", actor=by, instance_id=instance_id, data={"reason": reason}
        )
        advance(tx, instance, Cancel(reason), actor=by)
