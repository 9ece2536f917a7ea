"""Mail: where orders come from and where replies go.

A mailbox hands out letters and files them away; what became of each is remembered
in the database, never in the mailbox, because keywords and flags are not kept by
every server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from mpms.ports.plant import MailboxUnavailable

__all__ = [
    "Letter",
    "LetterId",
    "Mailbox",
    "MailboxSession",
    "MailboxUnavailable",
    "Postman",
    "PostmanUnavailable",
    "Reply",
    "ReplyInDoubt",
]


@dataclass(frozen=True, order=True)
class LetterId:
    """Where a message lies. After a change of uidvalidity a uid means another one."""

    account: str
    folder: str
    uidvalidity: int
    uid: int


@dataclass(frozen=True)
class Letter:
    """One message as the mailbox holds it; ``raw`` is None if it is too large."""

    id: LetterId
    size_bytes: int
    raw: bytes | None
    headers: bytes = b""  # of a message that is too large to fetch


class MailboxSession(Protocol):
    """One conversation with the server. Anything that goes wrong in it is
    MailboxUnavailable with the cause in plain words."""

    def letters(self) -> Sequence[LetterId]:
        """Everything that lies in the inbox now, oldest first."""
        ...

    def fetch(self, letter: LetterId) -> Letter | None:
        """None if it is gone meanwhile."""
        ...

    def file_away(self, letter: LetterId, folder: str) -> None:
        """Move to Processed or Rejected, made if missing; no error if it is gone."""
        ...


class Mailbox(Protocol):
    """The mailbox that orders arrive in."""

    def open(self) -> AbstractContextManager[MailboxSession]: ...

    def wait(self, timeout_s: float) -> bool:
        """Sleep until something arrived (IDLE) or the time is over; True: look."""
        ...

    def close(self) -> None: ...


class PostmanUnavailable(Exception):
    """The mail server that takes our replies does not answer."""


class ReplyInDoubt(PostmanUnavailable):
    """It was handed a whole reply and did not answer: the reply may have gone out."""


@dataclass(frozen=True)
class Reply:
    """One reply of the outbox; ``id`` makes its Message-ID, so it is recognisable."""

    id: str
    to: str
    subject: str
    body: str
    in_reply_to: str | None
    is_answer: bool = True  # and no letter that we write by ourselves


class Postman(Protocol):
    """Hands replies to the mail server."""

    @property
    def refusals(self) -> Mapping[str, str]:
        """Why replies of the last call will never be taken, by id."""
        ...

    def send(self, replies: Iterable[Reply]) -> list[str]:
        """Send and return the ids that the server took.

        PostmanUnavailable, ReplyInDoubt.
        """
        ...
