"""Settle leased jobs together: those of different instances in one transaction.

A lease stays what it is: who lost it settles nothing. An instance that somebody has is
waited for alone, since who holds many must wait for none; and what fails is undone
alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpms.domain.errors import DatabaseAway, InstanceBusy
from mpms.domain.jobs import Answer, Job
from mpms.services.jobs.run import RunJobs

Answered = Sequence[tuple[Job, Answer]]
Failed = list[tuple[Job, Exception]]


def settle_many(jobs: RunJobs, answered: Answered, worker: str) -> Failed:
    """Settle what handlers of a worker have answered; those that could not be."""
    if len(answered) < 2:
        return _alone(jobs, answered, worker)
    try:
        with jobs.counts.unless_undone():
            alone, failed = _together(jobs, answered, worker)
    except DatabaseAway as away:
        return [(job, away) for job, _ in answered]
    except Exception:  # nobody knows whose row could not be written
        alone, failed = list(answered), []
    return failed + _alone(jobs, alone, worker)


def _together(
    jobs: RunJobs, answered: Answered, worker: str
) -> tuple[list[tuple[Job, Answer]], Failed]:
    """Those that are left to be settled alone, and those that failed."""
    left: list[tuple[Job, Answer]] = []
    failed: Failed = []
    with jobs.uow() as tx:
        free = dict(tx.jobs.hold_free([job.id for job, _ in answered], worker))
        moved: set[str] = set()
        for job, answer in answered:
            instance = free.get(job.id)
            if (
                instance is None
                or instance.id in moved  # another branch; its state is another one now
                or tx.deliveries.locks_messages  # everybody waits for messages
            ):
                left.append((job, answer))
                continue
            moved.add(instance.id)
            try:
                with tx.undoable(at_once=False):
                    jobs.settle(tx, job, answer, actor=job.topic, known=instance)
            except DatabaseAway:
                raise
            except InstanceBusy:
                left.append((job, answer))
            except Exception as failure:
                failed.append((job, failure))
    return left, failed


def _alone(jobs: RunJobs, answered: Answered, worker: str) -> Failed:
    failed: Failed = []
    for job, answer in answered:
        try:
            jobs.finish_outside(job, answer, worker)
        except Exception as failure:
            failed.append((job, failure))
    return failed
