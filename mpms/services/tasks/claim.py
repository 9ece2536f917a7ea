"""Take a task so that nobody else walks to it, and leave it to others again."""

from __future__ import annotations

from mpms.domain.errors import Conflict, MpmsError
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.ports.clock import Clock
from mpms.ports.store import Transaction, UnitOfWork
from mpms.ports.tasks.claims import Claim

UNDO_WITHIN_S = 60.0


class NotYourTask(MpmsError):
    """This task is for other people."""


class TaskTaken(Conflict):
    """Somebody else has this task."""

    def __init__(self, by: str) -> None:
        super().__init__(f"{by} has this task.")
        self.by = by


class UndoTooLate(Conflict):
    """A task can be given back for one minute; after that a supervisor does it."""


def claim_task(uow: UnitOfWork, task_id: str, *, person: Person) -> Claim:
    """Take a task. TaskGone, NotYourTask, TaskTaken.

    Claiming twice is claiming once: a tablet that did not hear the answer asks again.
    """
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        before = tx.claims.of([task_id]).get(task_id)
        if not tx.claims.take(task_id, person.login):
            tx.tasks.get(task_id)
            raise TaskTaken(_holder(tx, task_id))
        if before is None:
            _tell(tx, "task claimed", task, person)
        return tx.claims.of([task_id])[task_id]


def give_back_task(
    uow: UnitOfWork, clock: Clock, task_id: str, *, person: Person
) -> bool:
    """Leave a task to others; False if nobody has it.

    People give back their own for a minute, leaders anybody's at any time.
    TaskGone, NotYourTask, TaskTaken, UndoTooLate.
    """
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        claim = tx.claims.of([task_id]).get(task_id)
        if claim is None:
            return False
        if not person.leads:
            if claim.claimed_by != person.login:
                raise TaskTaken(name_of(tx, claim.claimed_by))
            if (clock.now() - claim.claimed_at).total_seconds() > UNDO_WITHIN_S:
                raise UndoTooLate
        if not tx.claims.give_back(task_id, claim.claimed_by):
            return False
        _tell(tx, "task given back", task, person, claimed_by=claim.claimed_by)
        return True


def require_doable(tx: Transaction, task_id: str, person: Person) -> FormTask:
    """The open task, if this person may do it. TaskGone, NotYourTask."""
    task = tx.tasks.get(task_id)
    if not person.may_do(task):
        raise NotYourTask
    return task


def require_free(tx: Transaction, task: FormTask, person: Person) -> None:
    """TaskTaken if somebody else has it; leaders may step in."""
    claim = tx.claims.of([task.task_id]).get(task.task_id)
    if claim is not None and claim.claimed_by != person.login and not person.leads:
        raise TaskTaken(name_of(tx, claim.claimed_by))


def name_of(tx: Transaction, login: str) -> str:
    """What people call a person; the login where there is no such person."""
    person = tx.people.get(login)
    return login if person is None else person.name


def _holder(tx: Transaction, task_id: str) -> str:
    claim = tx.claims.of([task_id]).get(task_id)
    return "Somebody else" if claim is None else name_of(tx, claim.claimed_by)


def _tell(
    tx: Transaction, kind: str, task: FormTask, person: Person, **data: str
) -> None:
    tx.events.append(
        kind,
        actor=person.login,
        instance_id=task.instance_id,
        element=task.element,
        task_id=task.task_id,
        data=dict(data),
    )
    tx.wake()
