"""An errand has ended: its process hears it, once, in a transaction of its own."""

from __future__ import annotations

from mpms.domain.errors import InstanceBusy
from mpms.domain.incidents.incidents import STANDS
from mpms.domain.instances.steps import Complete, Fail
from mpms.factory.domain.errands import Errand, ErrandState
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.robots.settle_goals import advanced
from mpms.services.instances.advance import Advance

FLEET = "fleet"


def tell_errands(uow: UnitOfWork, advance: Advance) -> int:
    """Every errand that lies ready; one that cannot be told now stays for the next
    round and stops no other."""
    with uow() as tx:
        ready = tx.errands.to_tell()
    told = 0
    for errand in ready:
        try:
            told += _tell(uow, advance, errand)
        except InstanceBusy:
            continue
    return told


def _tell(uow: UnitOfWork, advance: Advance, errand: Errand) -> bool:
    with uow() as tx:
        instance = None
        if errand.instance_id is not None:
            instance = tx.instances.lock(errand.instance_id)
        if not tx.errands.tell(errand.id):
            return False
        if instance is None or errand.task_id is None:
            return True
        if errand.task_id not in tx.waits.known(instance.id):
            return True
        tx.incidents.resolve(by=FLEET, task_id=errand.task_id, kind=STANDS)
        _tell_history(tx, errand)
        if errand.state is ErrandState.DONE:
            command: Complete | Fail = Complete(errand.task_id, dict(errand.result))
        else:
            why = errand.why or "the fleet gave up"
            command = Fail(errand.task_id, errand.code or "TransportFailed", why)
        if not advanced(tx, advance, instance, FLEET, command):
            tx.incidents.open(
                "goal",
                errand.why or "the fleet gave up",
                instance_id=instance.id,
                task_id=errand.task_id,
            )
        return True


def _tell_history(tx: Transaction, errand: Errand) -> None:
    tx.events.append(
        "errand ended",
        actor=FLEET,
        instance_id=errand.instance_id,
        task_id=errand.task_id,
        data={
            "errand": errand.kind.value,
            "state": errand.state.value,
            "why": errand.why or "",
            "robot": errand.result.get("robot", ""),
        },
    )
