"""Forget instances that ended long ago, with everything that tells of them.

What processes worked for stays, with what was made. An instance goes together with all
that it called, in batches, each in a transaction of its own, so that nobody waits for
long; whoever stops half-way has deleted whole instances only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import datetime

from mpms.domain.errors import RepairRefused
from mpms.domain.history.events import HistoryCounts
from mpms.ports.clock import Clock
from mpms.ports.store import UnitOfWork
from mpms.services.instances.apply_repair import required

BATCH = 200
LOOSE_BATCH = 5000


def delete_history(
    uow: UnitOfWork,
    clock: Clock,
    before: datetime,
    *,
    by: str,
    reason: str,
    dry_run: bool = False,
    progress: Callable[[HistoryCounts], None] = lambda counts: None,
) -> HistoryCounts:
    """Delete what ended before an instant; with ``dry_run`` only count it.

    ReasonMissing, RepairRefused.
    """
    why = "" if dry_run else required(reason)
    if before.tzinfo is None or before > clock.now():
        raise RepairRefused("Say an instant of the past, with its time zone.")
    total = HistoryCounts()
    for counted in _instances(uow, before, dry_run):
        total += counted
        progress(total)
    for number in _loose(uow, before, dry_run):
        total = replace(total, loose_events=total.loose_events + number)
        progress(total)
    if not dry_run:
        with uow() as tx:
            tx.events.append(
                "history deleted",
                actor=by,
                data={"before": before.isoformat(), "reason": why, **asdict(total)},
            )
    return total


def _instances(
    uow: UnitOfWork, before: datetime, dry_run: bool
) -> Iterator[HistoryCounts]:
    kept: list[str] = []
    while True:
        with uow() as tx:
            batch = None if dry_run else BATCH
            trees, stay = tx.old_history.trees(before, limit=batch, kept=kept)
            kept += stay
            ids = [instance_id for tree in trees for instance_id in tree]
            counted = tx.old_history.count(ids)
            if ids and not dry_run:
                tx.old_history.delete(ids)
        yield counted
        if dry_run or not (ids or stay):
            return


def _loose(uow: UnitOfWork, before: datetime, dry_run: bool) -> Iterator[int]:
    if dry_run:
        with uow() as tx:
            yield tx.old_history.count_loose(before)
        return
    while True:
        with uow() as tx:
            deleted = tx.old_history.delete_loose(before, limit=LOOSE_BATCH)
        if not deleted:
            return
        yield deleted
