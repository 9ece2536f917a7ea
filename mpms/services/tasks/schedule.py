"""Change when a task is due, when it is shown and how urgent it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mpms.domain.errors import MpmsError
from mpms.domain.incidents.kinds import OVERDUE
from mpms.domain.people.people import Person
from mpms.ports.clock import Clock
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.tasks.claim import NotYourTask, require_doable

HIGHEST = 2**31 - 1


class PriorityTooHigh(MpmsError):
    """A priority is a number of at most nine digits."""


@dataclass(frozen=True)
class Schedule:
    due_at: datetime | None
    follow_up_at: datetime | None
    priority: int


def schedule_task(
    uow: UnitOfWork, clock: Clock, task_id: str, wanted: Schedule, *, person: Person
) -> None:
    """Leaders only. TaskGone, NotYourTask, PriorityTooHigh."""
    with uow() as tx:
        schedule_in(tx, clock, task_id, wanted, person=person)


def schedule_in(
    tx: Transaction, clock: Clock, task_id: str, wanted: Schedule, *, person: Person
) -> None:
    """The same within a transaction that does more."""
    if abs(wanted.priority) > HIGHEST:
        raise PriorityTooHigh
    task = require_doable(tx, task_id, person)
    if not person.leads:
        raise NotYourTask("Only leaders change when a task is due.")
    before = Schedule(task.due_at, task.follow_up_at, task.priority)
    if wanted == before:
        return
    tx.tasks.schedule(task_id, wanted.due_at, wanted.follow_up_at, wanted.priority)
    if wanted.due_at is None or wanted.due_at > clock.now():
        tx.incidents.resolve(by=person.login, task_id=task_id, kind=OVERDUE)
    tx.events.append(
        "task scheduled",
        actor=person.login,
        instance_id=task.instance_id,
        element=task.element,
        task_id=task_id,
        data={
            "due_at": _text(wanted.due_at),
            "follow_up_at": _text(wanted.follow_up_at),
            "priority": wanted.priority,
        },
    )
    tx.wake()


def _text(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
