"""Cancel one activity of a running instance."""

from __future__ import annotations

from mpms.domain.instances.steps import CancelActivity, Step
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import apply_repair


def cancel_activity(
    uow: UnitOfWork,
    advance: Advance,
    instance_id: str,
    task_id: str,
    *,
    by: str,
    reason: str,
) -> Step:
    """Take a token away; an instance without any other is cancelled as a whole.

    ReasonMissing, TaskGone, RepairRefused, InstanceBusy.
    """
    return apply_repair(
        uow,
        advance,
        instance_id,
        CancelActivity(task_id),
        kind="activity cancelled",
        by=by,
        reason=reason,
    )
