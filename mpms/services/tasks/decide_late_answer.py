"""A supervisor decides about an answer that came too late."""

from __future__ import annotations

from mpms.domain.errors import MpmsError, NotFound, TaskGone
from mpms.domain.people.people import Person
from mpms.ports.store import Transaction, UnitOfWork
from mpms.ports.tasks.late_answers import LateAnswer
from mpms.services.instances.advance import Advance
from mpms.services.tasks.claim import NotYourTask
from mpms.services.tasks.submit import Post, Submitted, submit_in

MAX_REASON = 500


class LateAnswerDecided(NotFound):
    """Somebody has already decided about this answer."""


class AnswerOvertaken(MpmsError):
    """The task no longer waits, so this answer can only be discarded."""


class ReasonNeeded(MpmsError):
    """Enter a short reason for discarding the answer."""


def accept_late_answer(
    uow: UnitOfWork, advance: Advance, late_id: int, *, person: Person
) -> Submitted:
    """Let it count after all.

    LateAnswerDecided, AnswerOvertaken, NotYourTask, FormInvalid, InstanceBusy.
    """
    with uow() as tx:
        late = _undecided(tx, late_id, person, "accepted")
        post = Post(late.answers, late.answered_by, late.key, late.device_at)
        try:
            waits = tx.tasks.answer(late.task_id) is None
            submitted = submit_in(tx, advance, late.task_id, post) if waits else None
        except TaskGone:
            submitted = None
        if submitted is None or not submitted.first:
            raise AnswerOvertaken
        _tell(tx, late, person, "accepted", "")
        return submitted


def discard_late_answer(
    uow: UnitOfWork, late_id: int, *, person: Person, reason: str
) -> None:
    """Put it away, with the reason. LateAnswerDecided, ReasonNeeded, NotYourTask."""
    reason = reason.strip()[:MAX_REASON]
    if len(reason) < 3:
        raise ReasonNeeded
    with uow() as tx:
        late = _undecided(tx, late_id, person, f"discarded: {reason}")
        _tell(tx, late, person, "discarded", reason)


def _undecided(
    tx: Transaction, late_id: int, person: Person, decision: str
) -> LateAnswer:
    """The answer, marked with this decision; of two who decide the first counts."""
    if not person.leads:
        raise NotYourTask
    late = tx.late_answers.get(late_id)
    if late is None or not tx.late_answers.decide(
        late_id, by=person.login, decision=decision
    ):
        raise LateAnswerDecided
    return late


def _tell(
    tx: Transaction, late: LateAnswer, person: Person, decision: str, reason: str
) -> None:
    tx.events.append(
        f"late answer {decision}",
        actor=person.login,
        instance_id=late.instance_id,
        task_id=late.task_id,
        data={"late_answer": late.id, "reason": reason, "by": late.answered_by},
    )
    tx.wake()
