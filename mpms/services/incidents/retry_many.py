"""Try again many incidents at once, after their cause has been repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.domain.incidents.incidents import IncidentFilter
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.incidents.retry import retry_in
from mpms.services.instances.advance import Advance
from mpms.services.instances.apply_repair import required


@dataclass(frozen=True)
class Retried:
    """What became of one instance's incidents."""

    instance_id: str
    incidents: tuple[int, ...]  # those that were tried again
    error: str | None = None  # why they were not; they are as they were


def retry_many(
    uow: UnitOfWork,
    advance: Advance,
    which: IncidentFilter,
    *,
    by: str,
    reason: str,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Retried]:
    """Retry everything that fits, one transaction an instance. ReasonMissing.

    An instance that cannot be retried now is told with its cause and stops no other.
    """
    why = required(reason)
    with uow() as tx:
        found = [i for i in tx.incidents.find(which) if i.retryable]
    waiting: dict[str, list[int]] = {}
    for incident in found:
        waiting.setdefault(str(incident.instance_id), []).append(incident.id)
    results: list[Retried] = []
    for instance_id, numbers in waiting.items():
        try:
            with uow() as tx:
                done = retry_all(tx, advance, instance_id, numbers, by=by, reason=why)
            results.append(Retried(instance_id, done))
        except DatabaseAway:
            raise
        except MpmsError as failure:
            results.append(Retried(instance_id, (), str(failure)))
        progress(len(results), len(waiting))
    return results


def retry_all(
    tx: Transaction,
    advance: Advance,
    instance_id: str,
    numbers: Iterable[int],
    *,
    by: str,
    reason: str,
) -> tuple[int, ...]:
    """Those of an instance's incidents that are still open. InstanceBusy."""
    done = []
    for number in numbers:
        # The step before may have changed the instance and its incidents.
        instance = tx.instances.lock(instance_id)
        incident = tx.incidents.get(number)
        if incident is not None and not instance.status.ended:
            retry_in(tx, advance, instance, incident, by=by, reason=reason)
            done.append(number)
    return tuple(done)
