"""What a bulk action does to one instance: the verbs that repair a single one.

They run inside the transaction that also keeps the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from mpms.domain.bulk import BatchAction, Target
from mpms.domain.errors import RepairRefused, TaskGone
from mpms.ports.store import Transaction
from mpms.services.incidents.retry_many import retry_all
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import Why
from mpms.services.instances.migrate import migrate_instance
from mpms.services.instances.repair import (
    cancel_instance,
    move_token,
    restart_instance,
    resume_instance,
    retry_incident,
    set_variables,
    skip_activity,
    suspend_instance,
)
from mpms.services.instances.show import find_tasks


@dataclass(frozen=True)
class Within:
    """A unit of work inside a transaction that does more: it commits with that."""

    tx: Transaction

    def __call__(self) -> AbstractContextManager[Transaction]:
        return nullcontext(self.tx)


Details = Mapping[str, Any]
Act = Callable[[Within, Advance, Target, Details, Why], str | None]


def _retry(
    within: Within, advance: Advance, target: Target, _: Details, why: Why
) -> None:
    if target.incident_id is not None:
        retry_incident(within, advance, target.incident_id, **why)
        return
    with within() as tx:
        instance = tx.instances.lock(str(target.instance_id))
        found = tx.incidents.listing(instance_id=instance.id)
        numbers = [incident.id for incident in found if incident.retryable]
        if not retry_all(tx, advance, instance.id, numbers, **why):
            raise RepairRefused("It has no incident that can be tried again.")


def _suspend(
    within: Within, advance: Advance, target: Target, _: Details, why: Why
) -> None:
    suspend_instance(within, str(target.instance_id), **why)


def _resume(
    within: Within, advance: Advance, target: Target, _: Details, why: Why
) -> None:
    resume_instance(within, str(target.instance_id), **why)


def _cancel(
    within: Within, advance: Advance, target: Target, details: Details, why: Why
) -> None:
    by_hand = bool(details.get("completed_manually"))
    one = str(target.instance_id)
    cancel_instance(within, advance, one, completed_manually=by_hand, **why)


def _set_variables(
    within: Within, advance: Advance, target: Target, details: Details, why: Why
) -> None:
    set_variables(
        within,
        advance,
        str(target.instance_id),
        details["variables"],
        removed=details["removed"],
        **why,
    )


def _skip(
    within: Within, advance: Advance, target: Target, details: Details, why: Why
) -> None:
    values = details["variables"]
    _at_each(
        within,
        advance,
        target,
        details["element"],
        lambda one, task: skip_activity(
            within, advance, one, task, variables=values, **why
        ),
    )


def _move(
    within: Within, advance: Advance, target: Target, details: Details, why: Why
) -> None:
    to = details["to"]
    _at_each(
        within,
        advance,
        target,
        details["element"],
        lambda one, task: move_token(within, advance, one, task, to, **why),
    )


def _at_each(
    within: Within,
    advance: Advance,
    target: Target,
    element: str,
    do: Callable[[str, str], object],
) -> None:
    """To every token at an element; one that went with the one before is no fault."""
    instance_id = str(target.instance_id)
    with within() as tx:
        tx.instances.lock(instance_id)  # so that nobody moves them meanwhile
    for place, task_id in enumerate(
        find_tasks(within, advance.engine, instance_id, element)
    ):
        try:
            do(instance_id, task_id)
        except TaskGone:
            if place == 0:
                raise


def _migrate(
    within: Within, advance: Advance, target: Target, details: Details, why: Why
) -> None:
    migrate_instance(
        within,
        advance,
        str(target.instance_id),
        details["version"],
        renamed=details["renamed"],
        **why,
    )


def _restart(
    within: Within, advance: Advance, target: Target, details: Details, why: Why
) -> str:
    return restart_instance(
        within,
        advance,
        str(target.instance_id),
        details["elements"],
        variables=details["variables"],
        latest=details["latest"],
        **why,
    )


ACTIONS: Mapping[BatchAction, Act] = {
    BatchAction.RETRY: _retry,
    BatchAction.SUSPEND: _suspend,
    BatchAction.RESUME: _resume,
    BatchAction.CANCEL: _cancel,
    BatchAction.SET_VARIABLES: _set_variables,
    BatchAction.SKIP: _skip,
    BatchAction.MOVE: _move,
    BatchAction.MIGRATE: _migrate,
    BatchAction.RESTART: _restart,
}
