"""Let a process go on as if an activity had been done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mpms.domain.instances.steps import Skip, Step
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import apply_repair


def skip_activity(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    task_id: str,
    *,
    variables: Mapping[str, Any] | None = None,
    by: str,
    reason: str,
) -> Step:
    """Leave an activity along its flows; its outputs are not mapped, these are kept.

    ReasonMissing, TaskGone, RepairRefused, InstanceBusy.
    """
    return apply_repair(
        uow,
        advance,
        instance_id,
        Skip(task_id, dict(variables or {})),
        kind="activity skipped",
        by=by,
        reason=reason,
        data={"variables": dict(variables or {})},
    )
