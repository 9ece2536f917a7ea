"""Say something about a task, for whoever has it next."""

from __future__ import annotations

from mpms.domain.people.people import Person
from mpms.domain.tasks import TaskComment
from mpms.ports.store import UnitOfWork
from mpms.services.incidents.comment import LONGEST, CommentEmpty, CommentTooLong
from mpms.services.tasks.claim import require_doable


def comment_on_task(
    uow: UnitOfWork, task_id: str, text: str, *, person: Person
) -> TaskComment:
    """TaskGone, NotYourTask, CommentEmpty, CommentTooLong."""
    plain = text.replace("\0", "").strip()
    if not plain:
        raise CommentEmpty
    if len(plain) > LONGEST:
        raise CommentTooLong
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        comment = tx.tasks.add_comment(
            task_id, task.instance_id, by=person.login, text=plain
        )
        tx.events.append(
            "task commented",
            actor=person.login,
            instance_id=task.instance_id,
            element=task.element,
            task_id=task_id,
            data={"text": plain},
        )
        tx.wake()
        return comment
