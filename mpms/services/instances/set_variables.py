"""Change the variables of a running instance, its own or those of one live task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mpms.domain.instances.steps import SetVariables, Step
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import apply_repair, undoing


def set_variables(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    variables: Mapping[str, Any],
    *,
    removed: Iterable[str] = (),
    task_id: str | None = None,
    by: str,
    reason: str,
    undoes: int | None = None,
) -> Step:
    """Set and remove variables; with ``task_id`` those of that task alone.

    ReasonMissing, TaskGone, RepairRefused, VariableTooLarge, InstanceBusy.
    """
    gone = tuple(removed)
    return apply_repair(
        uow,
        advance,
        instance_id,
        SetVariables(dict(variables), gone, task_id),
        kind="variables set",
        by=by,
        reason=reason,
        data={"names": sorted(variables), "removed": sorted(gone)} | undoing(undoes),
    )
