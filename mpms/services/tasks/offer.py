"""Change for whom a task is, beside what the model says."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.ports.store import Transaction
from mpms.services.tasks.claim import NotYourTask, require_doable


def offer_in(
    tx: Transaction, task_id: str, groups: Sequence[str], *, person: Person
) -> FormTask:
    """Leaders only; who has it keeps it. Nobody named: it is for everybody.

    TaskGone, NotYourTask.
    """
    task = require_doable(tx, task_id, person)
    if not person.leads:
        raise NotYourTask("Only leaders change whose task it is.")
    wanted = list(dict.fromkeys(groups))
    if wanted == list(task.groups):
        return task
    tx.tasks.offer(task_id, wanted)
    tx.events.append(
        "task offered",
        actor=person.login,
        instance_id=task.instance_id,
        element=task.element,
        task_id=task_id,
        data={"groups": wanted},
    )
    tx.wake()
    return task
