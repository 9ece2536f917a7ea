"""A request has ended: its process hears it, once, in a transaction of its own."""

from __future__ import annotations

from mpms.domain.errors import InstanceBusy
from mpms.domain.instances.steps import Complete, Fail
from mpms.factory.domain.fleet_requests import (
    FleetRequest,
    RequestKind,
    RequestState,
)
from mpms.factory.domain.goals import GoalState
from mpms.factory.domain.incident_kinds import STANDS
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.robots.settle_goals import advanced
from mpms.services.instances.advance import Advance

FLEET = "fleet"
ENDS = {
    RequestState.DONE: GoalState.REACHED,
    RequestState.FAILED: GoalState.FAILED,
    RequestState.WITHDRAWN: GoalState.CANCELLED,
}


def tell_requests(uow: UnitOfWork, advance: Advance) -> int:
    """Every request that lies ready; one that cannot be told now stays for the next
    round and stops no other."""
    with uow() as tx:
        ready = tx.fleet_requests.to_tell()
    told = 0
    for request in ready:
        try:
            told += _tell(uow, advance, request)
        except InstanceBusy:
            continue
    return told


def _tell(uow: UnitOfWork, advance: Advance, request: FleetRequest) -> bool:
    with uow() as tx:
        instance = None
        if request.instance_id is not None:
            instance = tx.instances.lock(request.instance_id)
        if not tx.fleet_requests.tell(request.id):
            return False
        if instance is None or request.task_id is None:
            return True
        if request.task_id not in tx.waits.known(instance.id):
            return True
        tx.incidents.resolve(by=FLEET, task_id=request.task_id, kind=STANDS)
        _tell_history(tx, request)
        if request.state is RequestState.DONE:
            command: Complete | Fail = Complete(request.task_id, dict(request.result))
        else:
            why = request.why or "the fleet gave up"
            command = Fail(request.task_id, request.code or "TransportFailed", why)
        if not advanced(tx, advance, instance, FLEET, command):
            tx.incidents.open(
                "goal",
                request.why or "the fleet gave up",
                instance_id=instance.id,
                task_id=request.task_id,
            )
        return True


def _tell_history(tx: Transaction, request: FleetRequest) -> None:
    """A drive reads the same whoever drove it."""
    robot = str(request.result.get("robot") or request.data.get("robot") or "")
    if request.kind is RequestKind.MOVE:
        tx.events.append(
            "goal ended",
            actor=robot,
            instance_id=request.instance_id,
            task_id=request.task_id,
            data={
                "goal": request.id,
                "state": str(ENDS[request.state]),
                "place": request.called,
                "inferred": False,
                "reason": request.why,
            },
        )
        return
    tx.events.append(
        "fleet request ended",
        actor=FLEET,
        instance_id=request.instance_id,
        task_id=request.task_id,
        data={
            "request": request.kind.value,
            "state": request.state.value,
            "why": request.why or "",
            "robot": robot,
        },
    )
