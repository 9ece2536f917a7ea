"""A worker says what is wrong; the model's error event catches it, or a supervisor."""

from __future__ import annotations

from dataclasses import dataclass

from mpms.domain.errors import MpmsError, TaskGone
from mpms.domain.instances.steps import Fail
from mpms.domain.models.definitions import Cause, Causes
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.tasks.claim import require_doable, require_free
from mpms.services.tasks.submit import posted

OTHER = Cause("Other", "Something else")
MAX_NOTE = 500


class CauseUnknown(MpmsError):
    """This cause is not offered for this task."""


class NoteTooLong(MpmsError):
    """The note is too long."""


@dataclass(frozen=True)
class Reported:
    """What became of a report."""

    caught: bool  # False: the task stays and a supervisor has been told
    late: bool = False  # the task was over already


def causes_of(tx: Transaction, advance: Advance, task: FormTask) -> tuple[Cause, ...]:
    """What may be picked: the model's own causes, and the usual ones."""
    instance = tx.instances.get(task.instance_id)
    definition = tx.definitions.by_id(instance.definition_id)
    return offered(advance.engine.causes(definition, task.element), tx.kinds.problems)


def offered(causes: Causes, usual: tuple[Cause, ...] = ()) -> tuple[Cause, ...]:
    """Where the model names its causes, they are enough but for the unexpected."""
    more = (*usual, OTHER) if causes.any_code or not causes.codes else (OTHER,)
    known = {cause.code for cause in causes.codes}
    return (*causes.codes, *(cause for cause in more if cause.code not in known))


def report_problem(
    uow: UnitOfWork,
    advance: Advance,
    task_id: str,
    code: str,
    note: str,
    *,
    person: Person,
    posted_by: str | None = None,
    instance_id: str | None = None,
) -> Reported:
    """Raise a BPMN error at a task.

    TaskGone, NotYourTask, TaskTaken, CauseUnknown, NoteTooLong, InstanceBusy. If
    nothing catches the error the task stays and an incident is opened.
    """
    note = note.strip()
    told = {"code": code, "note": note} | posted(posted_by, instead_of=person.login)
    if len(note) > MAX_NOTE:
        raise NoteTooLong
    with uow() as tx:
        try:
            task = require_doable(tx, task_id, person)
            instance = tx.instances.lock(task.instance_id)
            task = require_doable(tx, task_id, person)
        except TaskGone:
            past = tx.tasks.past(task_id, instance_id)
            if past is None:
                raise
            tx.events.append(
                "problem reported too late",
                actor=person.login,
                instance_id=past.instance_id,
                element=past.element,
                task_id=task_id,
                data=told,
            )
            return Reported(caught=False, late=True)
        require_free(tx, task, person)
        names = {c.code: c.name for c in causes_of(tx, advance, task)}
        if code not in names:
            raise CauseUnknown
        message = f"{names[code]}: {note}" if note else names[code]
        tx.events.append(
            "problem reported",
            actor=person.login,
            instance_id=task.instance_id,
            element=task.element,
            task_id=task_id,
            data=told,
        )
        step = advance(tx, instance, Fail(task_id, code, message), actor=person.login)
        if step.caught:
            tx.incidents.resolve(by=person.login, task_id=task_id, kind="problem")
        else:
            tx.incidents.open(
                "problem",
                f"{person.name}: {message}",
                instance_id=task.instance_id,
                task_id=task_id,
                element=task.element,
            )
            tx.wake()
        return Reported(step.caught)
