"""Ask somebody else for help with a task, and hand it back.

As in Camunda: who is asked cannot complete the task. He does what he was asked for,
hands it back, and whoever had it confirms it. What is typed meanwhile stays with it.
"""

from __future__ import annotations

from mpms.domain.errors import Conflict
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.people.change_secret import PersonUnknown
from mpms.services.tasks.claim import NotYourTask, TaskTaken, name_of, require_doable


class HelpAwaited(Conflict):
    """Somebody was asked for help with this task and has not handed it back."""

    def __init__(self, helper: str) -> None:
        super().__init__(f"{helper} was asked for help and has not handed it back.")
        self.helper = helper


class NobodyAsked(Conflict):
    """Nobody was asked for help with this task."""


def delegate_task(uow: UnitOfWork, task_id: str, to: str, *, person: Person) -> None:
    """Let somebody help with a task that one has, or that is free.

    TaskGone, NotYourTask, TaskTaken, PersonUnknown, HelpAwaited. Whoever is asked may
    do it until he hands it back, also where his groups would not let him.
    """
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        claim = tx.claims.of([task_id]).get(task_id)
        holder = None if claim is None else claim.claimed_by
        if task.helper is not None and not person.leads:
            raise HelpAwaited(name_of(tx, task.helper))
        if holder not in (None, person.login) and not person.leads:
            raise TaskTaken(name_of(tx, str(holder)))
        helper = tx.people.get(to)
        if helper is None or not helper.active or not helper.works:
            raise PersonUnknown(f"Nobody with the login {to} does tasks.")
        owner = task.owner if task.helper is not None else None
        owner = owner or holder or task.assignee or person.login
        if owner == to:
            raise NotYourTask(f"{helper.name} has this task already.")
        tx.tasks.delegate(task_id, owner=owner, to=to, resolved=False)
        _move_claim(tx, task_id, holder, to)
        _tell(tx, "task delegated", task, person.login, {"to": to, "owner": owner})


def resolve_task(uow: UnitOfWork, task_id: str, *, person: Person) -> str:
    """Hand it back to whoever had it; his login. NobodyAsked, NotYourTask, TaskGone."""
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        if task.helper is None or task.owner is None:
            raise NobodyAsked
        if task.helper != person.login and not person.leads:
            raise NotYourTask
        tx.tasks.delegate(task_id, owner=task.owner, to=task.delegate, resolved=True)
        _move_claim(tx, task_id, task.helper, task.owner)
        _tell(tx, "task handed back", task, person.login, {"owner": task.owner})
        return task.owner


def require_no_help(tx: Transaction, task: FormTask) -> None:
    """HelpAwaited while somebody is asked for help with it."""
    if task.helper is not None:
        raise HelpAwaited(name_of(tx, task.helper))


def _move_claim(tx: Transaction, task_id: str, holder: str | None, to: str) -> None:
    if holder is not None:
        tx.claims.give_back(task_id, None)
    tx.claims.take(task_id, to)


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
