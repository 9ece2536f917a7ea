"""Give a task to a person: oneself, or, for leaders, somebody else or nobody."""

from __future__ import annotations

from mpms.domain.errors import Conflict
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.ports.store import Transaction, UnitOfWork
from mpms.ports.tasks.claims import Claim
from mpms.services.people.change_secret import PersonUnknown
from mpms.services.tasks.claim import NotYourTask, TaskTaken, name_of, require_doable


class AssignedByModel(Conflict):
    """The model says whose task this is."""


def assign_task(
    uow: UnitOfWork, task_id: str, login: str, *, person: Person, override: bool
) -> Claim:
    """Let somebody have a task; ``override`` takes it from who has it.

    Giving a task to who has it changes nothing. TaskGone, NotYourTask, TaskTaken,
    PersonUnknown.
    """
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        if login != person.login:
            if not person.leads:
                raise NotYourTask("Only leaders give a task to somebody else.")
            doer = tx.people.get(login)
            if doer is None or not doer.active:
                raise PersonUnknown(f"There is no person with the login {login}.")
            if not doer.may_do(task):
                raise NotYourTask(f"This task is not for {doer.name}.")
        before = tx.claims.of([task_id]).get(task_id)
        if before is not None and before.claimed_by == login:
            return before
        if before is not None:
            if not override or not person.leads:
                raise TaskTaken(name_of(tx, before.claimed_by))
            tx.claims.give_back(task_id, before.claimed_by)
        if not tx.claims.take(task_id, login):
            tx.tasks.get(task_id)
            raise TaskTaken("Somebody else")
        by = {} if login == person.login else {"assigned_by": person.login}
        _tell(tx, "task claimed", task, login, by)
        return tx.claims.of([task_id])[task_id]


def unassign_task(uow: UnitOfWork, task_id: str, *, person: Person) -> None:
    """Nobody has it any more. TaskGone, NotYourTask, AssignedByModel."""
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        claim = tx.claims.of([task_id]).get(task_id)
        if claim is None:
            if task.assignee is not None:
                raise AssignedByModel(
                    f"The model gives this task to '{task.assignee}'."
                )
            return
        if claim.claimed_by != person.login and not person.leads:
            raise NotYourTask("Only leaders take a task from somebody else.")
        if tx.claims.give_back(task_id, claim.claimed_by):
            data = {"claimed_by": claim.claimed_by}
            _tell(tx, "task given back", task, person.login, data)


def _tell(
    tx: Transaction, kind: str, task: FormTask, actor: str, data: dict[str, str]
) -> None:
    tx.events.append(
        kind,
        actor=actor,
        instance_id=task.instance_id,
        element=task.element,
        task_id=task.task_id,
        data=dict(data),
    )
    tx.wake()
