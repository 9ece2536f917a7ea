"""Order one action on many instances or incidents; a worker does it one by one.

What it is done to is fixed here: instances that come to fit a filter later are not
touched, and those that no longer fit are told one by one why not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from mpms.domain.bulk import (
    MOST_ITEMS,
    REVERSE,
    Batch,
    BatchAction,
    BatchRefused,
    ItemState,
    NothingForBatch,
    Target,
    TheseIncidents,
    TheseInstances,
    TooManyForBatch,
    checked_details,
)
from mpms.domain.errors import InstanceUnknown, NotFound
from mpms.domain.incidents.incidents import IncidentFilter
from mpms.ports.instances.rows import InstanceFilter
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.apply_repair import required

Which = InstanceFilter | IncidentFilter | TheseInstances | TheseIncidents


def order_batch(
    uow: UnitOfWork,
    action: BatchAction,
    which: Which,
    *,
    details: Mapping[str, Any] | None = None,
    by: str,
    reason: str,
) -> int:
    """The number of the new batch.

    ReasonMissing, BatchRefused, TooManyForBatch, NothingForBatch, InstanceUnknown,
    NotFound for an incident that is not open.
    """
    why, checked = required(reason), checked_details(action, details)
    of_incidents = isinstance(which, IncidentFilter | TheseIncidents)
    if of_incidents and action is not BatchAction.RETRY:
        raise BatchRefused(f"Incidents can be tried again; {action} is for others.")
    with uow() as tx:
        targets = targets_of(tx, which)
        return _add(tx, action, checked, targets, by=by, reason=why)


def repeat_failed(uow: UnitOfWork, batch_id: int, *, by: str, reason: str) -> int:
    """The same once more for those that failed. ReasonMissing, BatchUnknown,
    BatchRefused, NothingForBatch."""
    why = required(reason)
    with uow() as tx:
        old = _ended(tx, batch_id)
        targets = _of_state(tx, old, ItemState.FAILED)
        return _add(
            tx, old.action, old.details, targets, by=by, reason=why, repeats=batch_id
        )


def reverse_batch(uow: UnitOfWork, batch_id: int, *, by: str, reason: str) -> int:
    """Undo what was done, where that is an action of its own. As above."""
    why = required(reason)
    with uow() as tx:
        old = _ended(tx, batch_id)
        if old.action not in REVERSE:
            raise BatchRefused(f"{old.action} cannot be undone for all at once.")
        targets = _of_state(tx, old, ItemState.DONE)
        return _add(
            tx, REVERSE[old.action], {}, targets, by=by, reason=why, reverses=batch_id
        )


def _ended(tx: Transaction, batch_id: int) -> Batch:
    old = tx.batches.get(batch_id)
    if old.ended_at is None:
        raise BatchRefused("Wait until it has ended, or stop it.")
    return old


def _of_state(tx: Transaction, old: Batch, state: ItemState) -> list[Target]:
    items = tx.batches.items(old.id, state=state, limit=MOST_ITEMS)
    return [item.target for item in items]


def targets_of(tx: Transaction, which: Which) -> list[Target]:
    """What is meant; one more than is allowed, at most. As ``order_batch``."""
    match which:
        case InstanceFilter():
            rows = tx.cockpit.instances(which, below=None, limit=MOST_ITEMS + 1)
            return [Target(row.id) for row in rows]
        case IncidentFilter():
            found = [i for i in tx.incidents.find(which) if i.retryable]
            return [Target(i.instance_id, i.id) for i in found[: MOST_ITEMS + 1]]
        case TheseInstances():
            return _these_instances(tx, which)
        case TheseIncidents():
            return _these_incidents(tx, which)


def _these_instances(tx: Transaction, which: TheseInstances) -> list[Target]:
    ids = list(dict.fromkeys(map(_id, which.ids)))[: MOST_ITEMS + 1]
    known = tx.instances.business_keys(ids)
    if unknown := [one for one in ids if one not in known]:
        raise InstanceUnknown(f"There is no process instance {unknown[0]}.")
    return [Target(one) for one in ids]


def _id(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise InstanceUnknown from None


def _these_incidents(tx: Transaction, which: TheseIncidents) -> list[Target]:
    targets = []
    for number in list(dict.fromkeys(which.numbers))[: MOST_ITEMS + 1]:
        incident = tx.incidents.get(number)
        if incident is None or not incident.retryable:
            raise NotFound(f"There is no open incident {number} to retry.")
        targets.append(Target(incident.instance_id, number))
    return targets


def _add(
    tx: Transaction,
    action: BatchAction,
    details: dict[str, Any],
    targets: list[Target],
    *,
    by: str,
    reason: str,
    **told: Any,
) -> int:
    if len(targets) > MOST_ITEMS:
        raise TooManyForBatch
    if not targets:
        raise NothingForBatch
    batch_id = tx.batches.add(action, details, targets, by=by, reason=reason)
    tx.events.append(
        "batch ordered",
        actor=by,
        data={
            "batch": batch_id,
            "action": str(action),
            "items": len(targets),
            "details": details,
            "reason": reason,
            **told,
        },
    )
    tx.wake()
    return batch_id
