"""What somebody found out about a cause, for whoever meets it next."""

from __future__ import annotations

from mpms.domain.errors import MpmsError, NotFound
from mpms.ports.store import UnitOfWork

LONGEST = 4_000


class CommentEmpty(MpmsError):
    """Write something first."""


class CommentTooLong(MpmsError):
    """A comment has 4000 characters at most."""


def comment_cause(uow: UnitOfWork, cause: str, text: str, *, by: str) -> None:
    """CommentEmpty, CommentTooLong, NotFound."""
    plain = text.replace("\0", "").strip()
    if not plain:
        raise CommentEmpty
    if len(plain) > LONGEST:
        raise CommentTooLong
    with uow() as tx:
        known = tx.inbox.incidents(cause, after=None, limit=1) or tx.inbox.settled(
            cause, limit=1
        )
        if not known:
            raise NotFound("There is no such cause.")
        tx.inbox.comment(cause, plain, by=by)
        tx.events.append(
            "incidents discussed", actor=by, data={"cause": cause, "text": plain}
        )
