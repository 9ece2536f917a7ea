"""How long the past is kept, and the deletions that follow from it.

A person or the retention asks for a deletion by a row; one worker does it beside its
rounds. Deleting twice harms nothing, so a worker that is silent is replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from mpms.domain.errors import MpmsError
from mpms.domain.history.events import HistoryCounts
from mpms.ports.clock import Clock
from mpms.ports.store import UnitOfWork
from mpms.services.history.delete import delete_history
from mpms.services.instances.apply_repair import required

ITSELF = "retention"
EVERY_H = 24
SILENT_S = 300.0
FEWEST_DAYS = 1
MOST_DAYS = 36_500


class DaysInvalid(MpmsError):
    """Enter a whole number of days from 1 to 36500, or nothing to keep everything."""


class DeletionUnderWay(MpmsError):
    """A deletion is already running."""


class NothingToForget(MpmsError):
    """Everything is kept forever. First enter when history may be deleted."""


class _TakenOver(Exception):
    """Another worker has this deletion now."""


def set_retention(uow: UnitOfWork, days: int | None, *, by: str, reason: str) -> None:
    """None keeps everything. DaysInvalid, ReasonMissing."""
    why = required(reason)
    if days is not None and not FEWEST_DAYS <= days <= MOST_DAYS:
        raise DaysInvalid
    with uow() as tx:
        was = tx.retention.kept()
        tx.retention.keep(days, by=by)
        tx.events.append(
            "retention changed",
            actor=by,
            data={"old": was and was.days, "new": days, "reason": why},
        )


def ask_deletion(uow: UnitOfWork, clock: Clock, *, by: str, reason: str) -> None:
    """NothingToForget, DeletionUnderWay, ReasonMissing."""
    why = required(reason)
    with uow() as tx:
        before = _before(tx.retention.kept(), clock.now())
        if before is None:
            raise NothingToForget
        if tx.retention.ask(before, reason=why, by=by) is None:
            raise DeletionUnderWay
        tx.events.append(
            "deletion asked",
            actor=by,
            data={"before": before.isoformat(), "reason": why},
        )


def count_old(uow: UnitOfWork, clock: Clock, days: int) -> HistoryCounts:
    """What would go. DaysInvalid."""
    if not FEWEST_DAYS <= days <= MOST_DAYS:
        raise DaysInvalid
    before = clock.now() - timedelta(days=days)
    return delete_history(uow, clock, before, by="", reason="", dry_run=True)


def run_deletion(
    uow: UnitOfWork,
    clock: Clock,
    *,
    worker: str,
    stopping: Callable[[], bool] = lambda: False,
) -> bool:
    """Do one deletion that waits, also the daily one; False if there is none."""
    with uow() as tx:
        before = _before(tx.retention.kept(), clock.now())
        if before is not None and not tx.retention.asked_lately(ITSELF, hours=EVERY_H):
            tx.retention.ask(before, reason="daily", by=ITSELF)
        run = tx.retention.take(worker, silent_s=SILENT_S)
    if run is None:
        return False
    done = HistoryCounts()

    def tell(counts: HistoryCounts) -> None:
        nonlocal done
        done = counts
        with uow() as tx:
            ours = tx.retention.progress(run.id, worker, counts.by_name())
        if not ours or stopping():
            raise _TakenOver

    failure = None
    try:
        done = delete_history(
            uow, clock, run.before, by=run.asked_by, reason=run.reason, progress=tell
        )
    except _TakenOver:
        return False  # whoever comes next goes on
    except MpmsError as failed:
        failure = str(failed)
    with uow() as tx:
        tx.retention.end(run.id, done.by_name(), failure)
    return True


def _before(kept: object, now: datetime) -> datetime | None:
    days = getattr(kept, "days", None)
    return None if days is None else now - timedelta(days=days)
