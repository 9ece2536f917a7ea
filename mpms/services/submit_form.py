"""Take a person's answers. A repeated post gets the first answer back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mpms.domain.errors import NotFound, TaskGone
from mpms.domain.forms import check_answers
from mpms.domain.steps import Complete
from mpms.domain.tasks import FormAnswer
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.advance_instance import Advance


@dataclass(frozen=True)
class Submitted:
    """What became of a post."""

    answer: FormAnswer
    first: bool  # False: the task had been answered already


def submit_form(
    uow: UnitOfWork,
    advance: Advance,
    task_id: str,
    answers: dict[str, Any],
    *,
    by: str,
) -> Submitted:
    """Complete a form task. TaskGone, FormInvalid, NotFound, InstanceBusy."""
    with uow() as tx:
        earlier = tx.tasks.answer(task_id)
        if earlier is not None:
            return Submitted(earlier, first=False)
        try:
            task = tx.tasks.get(task_id)
        except TaskGone:
            # Another post may have been committed since we looked for its answer.
            earlier = tx.tasks.answer(task_id)
            if earlier is None:
                raise
            return Submitted(earlier, first=False)
        instance = tx.instances.lock(task.instance_id)
        earlier = tx.tasks.answer(task_id)
        if earlier is not None:
            return Submitted(earlier, first=False)
        task = tx.tasks.get(task_id)
        accepted = _accepted(tx, task.form, answers)
        answer = FormAnswer(
            task_id,
            task.instance_id,
            task.element,
            accepted,
            by,
            advance.clock.now(),
        )
        tx.tasks.record(answer)
        tx.events.append(
            "form answered",
            actor=by,
            instance_id=task.instance_id,
            element=task.element,
            task_id=task_id,
            data={"answers": accepted},
        )
        step = advance(tx, instance, Complete(task_id, accepted), actor=by)
        if not step.caught:
            raise TaskGone()
        return Submitted(answer, first=True)


def _accepted(
    tx: Transaction, form: str | None, answers: dict[str, Any]
) -> dict[str, Any]:
    if form is None:
        return answers
    schema = tx.definitions.form(form)
    if schema is None:
        raise NotFound(f"The form {form!r} is not deployed.")
    return check_answers(schema, answers)
