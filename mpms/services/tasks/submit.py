"""Take a person's answers. A repeated post gets the first answer back.

A tablet that was without network posts late, with a key of its own making. What it
brings for a task that somebody else has answered, or that is gone, is kept for a
supervisor: nothing is lost, nothing counts twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from mpms.domain.errors import (
    InstanceSuspended,
    MpmsError,
    NotFound,
    ServerBusy,
    TaskGone,
)
from mpms.domain.forms import check_answers
from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.domain.instances.steps import Complete
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormAnswer, FormTask, PastTask
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.tasks.claim import NotYourTask, TaskTaken, name_of, require_free
from mpms.services.tasks.delegate import require_no_help
from mpms.services.tasks.keep_attachments import keep_attachments

CANCELLED = "the process was cancelled meanwhile"
WENT_ON = "the process went on without this answer"
LATE_AT_MOST_BYTES = 8 << 20  # with photos
LATE_OF_TASK = 5  # undecided
LATE_OF_PERSON = 50


class LateAnswersFull(ServerBusy):
    """A supervisor has to decide about earlier late answers first; this one waits on
    the device."""


class LateAnswerTooLarge(MpmsError):
    """An answer that comes too late may have 8 MB."""


@dataclass(frozen=True)
class Submitted:
    """What became of a post."""

    answer: FormAnswer | None  # the one that counts; None: the task ended without
    first: bool  # False: the task had been answered already
    late: str | None = None  # why a supervisor must decide about it

    @property
    def state(self) -> str:
        if self.late is not None:
            return "conflict"
        return "done" if self.first else "already"


@dataclass(frozen=True)
class Post:
    """One post of answers as it came from a browser or a tablet."""

    answers: dict[str, Any]
    by: str
    key: str | None = None
    device_at: datetime | None = None
    person: Person | None = None  # None: the product itself, which may do everything
    posted_by: str | None = None  # who was signed in when the tablet had network again
    instance_id: str | None = None  # finds a task that is gone quickly
    device_said: datetime | None = None  # its clock, where that cannot be right

    def bounded(self, since: datetime, now: datetime) -> Post:
        """An answer is given after its task came up and before it arrives here."""
        if self.device_at is None or since <= self.device_at <= now:
            return self
        believed = min(max(self.device_at, since), now)
        return replace(self, device_at=believed, device_said=self.device_at)


def submit_form(
    uow: UnitOfWork,
    advance: Advance,
    task_id: str,
    answers: dict[str, Any],
    *,
    by: str,
    key: str | None = None,
    device_at: datetime | None = None,
    person: Person | None = None,
    posted_by: str | None = None,
    instance_id: str | None = None,
) -> Submitted:
    """Complete a form task.

    TaskGone, FormInvalid, NotFound, InstanceBusy; with ``person`` also NotYourTask
    and TaskTaken. With ``key`` an answer that cannot count any more is kept for a
    supervisor instead of raising TaskGone or TaskTaken.
    """
    post = Post(answers, by, key, device_at, person, posted_by, instance_id)
    with uow() as tx:
        return submit_in(tx, advance, task_id, post)


def submit_in(tx: Transaction, advance: Advance, task_id: str, post: Post) -> Submitted:
    """The same within a transaction that does more."""
    taken = tx.tasks.take(task_id)
    if taken is None:
        earlier = tx.tasks.answer(task_id)
        if earlier is not None:
            return _again(tx, advance, earlier, post)
    try:
        task, instance = taken or _waited_for(tx, task_id)
        if instance.suspended is not None:
            raise InstanceSuspended(f"This process is {instance.suspended}.")
    except TaskGone:
        earlier = tx.tasks.answer(task_id)
        if earlier is not None:
            return _again(tx, advance, earlier, post)
        past = None if post.key is None else tx.tasks.past(task_id, post.instance_id)
        if past is None:
            raise
        return _late(tx, advance, past, post, _why_gone(tx, advance, past))
    now = advance.clock.now()
    post = post.bounded(task.created_at, now)
    if post.person is not None:
        if not post.person.may_do(task):
            raise NotYourTask
        try:
            require_free(tx, task, post.person)
        except TaskTaken as taken:
            if post.key is None:
                raise
            past = _as_past(task, instance.definition_id)
            return _late(
                tx, advance, past, post, f"{taken.by} has taken the task meanwhile"
            )
        if not post.person.leads:
            require_no_help(tx, task)
    answer = FormAnswer(
        task_id,
        task.instance_id,
        task.element,
        _accepted(tx, advance, instance, task, post),
        post.by,
        now,
        post.key,
        post.device_at,
    )
    tx.tasks.record(answer)
    tx.incidents.resolve_with_task(task_id, by=post.by, kind="problem")
    tx.events.append(
        "form answered",
        actor=post.by,
        instance_id=task.instance_id,
        element=task.element,
        task_id=task_id,
        data={"answers": answer.answers} | _origin(post),
    )
    advance.hooks.answered(tx, instance, task, answer)
    step = advance(tx, instance, Complete(task_id, answer.answers), actor=post.by)
    if not step.caught:
        raise TaskGone()
    return Submitted(answer, first=True)


def _waited_for(tx: Transaction, task_id: str) -> tuple[FormTask, Instance]:
    """TaskGone, InstanceBusy."""
    task = tx.tasks.get(task_id)
    instance = tx.instances.lock(task.instance_id)
    # Another post may have been committed since we looked for its answer.
    return tx.tasks.get(task_id), instance


def _again(
    tx: Transaction, advance: Advance, earlier: FormAnswer, post: Post
) -> Submitted:
    if post.key is None or post.key == earlier.key or _same(earlier, post.answers):
        return Submitted(earlier, first=False)
    past = tx.tasks.past(earlier.task_id, earlier.instance_id)
    if past is None:
        return Submitted(earlier, first=False)
    at = earlier.answered_at.astimezone()
    reason = f"answered by {name_of(tx, earlier.answered_by)} at {at:%H:%M} already"
    return _late(tx, advance, past, post, reason, earlier)


def _same(earlier: FormAnswer, answers: dict[str, Any]) -> bool:
    """Whether both say the same; an empty field says nothing."""
    return _said(earlier.answers) == _said(answers)


def _said(answers: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in answers.items()
        if value is not None and value is not False and value not in ("", [], {})
    }


def _late(
    tx: Transaction,
    advance: Advance,
    past: PastTask,
    post: Post,
    reason: str,
    earlier: FormAnswer | None = None,
) -> Submitted:
    """Keep an answer for a supervisor, once a key."""
    now = advance.clock.now()
    post = post.bounded(tx.instances.get(past.instance_id).started_at, now)
    definition = tx.definitions.by_id(past.definition_id)
    steps = {step.id: step for step in advance.engine.steps(definition)}
    step = steps.get(past.element)
    if post.person is not None and (step is None or not post.person.may_answer(step)):
        raise NotYourTask
    key = f"{past.task_id}/{post.key}"
    _require_room(tx, past, post, key)
    kept = tx.late_answers.add(
        key,
        task_id=past.task_id,
        instance_id=past.instance_id,
        business_key=past.business_key,
        task_name=past.element if step is None else step.name or past.element,
        answers=post.answers,
        answered_by=post.by,
        posted_by=post.posted_by,
        device_at=post.device_at or now,
        reason=reason,
    )
    if kept:
        tx.events.append(
            "answer came late",
            actor=post.by,
            instance_id=past.instance_id,
            element=past.element,
            task_id=past.task_id,
            data={"reason": reason} | _origin(post),
        )
        tx.wake()
    return Submitted(earlier, first=False, late=reason)


def _require_room(tx: Transaction, past: PastTask, post: Post, key: str) -> None:
    """LateAnswerTooLarge, LateAnswersFull: whoever sends must keep it meanwhile."""
    if len(json.dumps(post.answers, default=str)) > LATE_AT_MOST_BYTES:
        raise LateAnswerTooLarge
    waiting = tx.late_answers.waiting(past.task_id, post.by, but=key)
    if waiting.of_task >= LATE_OF_TASK or waiting.of_person >= LATE_OF_PERSON:
        raise LateAnswersFull


def _why_gone(tx: Transaction, advance: Advance, past: PastTask) -> str:
    if (why := advance.hooks.why_gone(tx, past)) is not None:
        return why
    ended = tx.instances.get(past.instance_id).status
    return CANCELLED if ended is InstanceStatus.CANCELLED else WENT_ON


def _as_past(task: FormTask, definition_id: int) -> PastTask:
    return PastTask(
        task.task_id, task.instance_id, definition_id, task.business_key, task.element
    )


def _origin(post: Post) -> dict[str, Any]:
    """What the history tells of a post beyond its answers."""
    told: dict[str, Any] = {**posted(post.posted_by, instead_of=post.by)}
    if post.device_at is not None:
        told["device_at"] = post.device_at.isoformat()
    if post.device_said is not None:
        told["device_said"] = post.device_said.isoformat()
    return told


def posted(by: str | None, *, instead_of: str) -> dict[str, str]:
    """Who handed something in, where that is not the actor of the line."""
    return {} if by is None or by == instead_of else {"posted_by": by}


def _accepted(
    tx: Transaction, advance: Advance, instance: Instance, task: FormTask, post: Post
) -> dict[str, Any]:
    if task.form is None:
        # Nothing is asked, so nobody signed in may set variables through it.
        return post.answers if post.person is None else {}
    schema = tx.definitions.form(task.form)
    if schema is None:
        raise NotFound(f"The form {task.form!r} is not deployed.")
    variables = task.inputs
    if instance.snapshot is not None:
        definition = tx.definitions.by_id(instance.definition_id)
        variables = advance.engine.visible(definition, instance.snapshot, task.task_id)
    now = advance.clock.now()
    given_at = min(now, post.device_at or now)
    # Somewhere on earth yesterday is still today.
    today = (given_at - timedelta(hours=12)).date()
    accepted = check_answers(
        schema, post.answers, variables, feel=advance.engine.feel, today=today
    )
    return keep_attachments(tx, task, schema, accepted, by=post.by)
