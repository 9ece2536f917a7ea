"""Put a token of a running instance on another element."""

from __future__ import annotations

from mpms.domain.instances.steps import Move, Step
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import apply_repair, undoing


def move_token(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    task_id: str,
    element: str,
    *,
    by: str,
    reason: str,
    undoes: int | None = None,
) -> Step:
    """Cancel an activity and go on at an element. ``undoes``: the line of the
    history that this takes back.

    ReasonMissing, TaskGone, ElementUnknown, RepairRefused, InstanceBusy.
    """
    return apply_repair(
        uow,
        advance,
        instance_id,
        Move(task_id, element),
        kind="token moved",
        by=by,
        reason=reason,
        data={"to": element} | undoing(undoes),
    )
