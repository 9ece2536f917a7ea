"""Mail: where orders come from and where replies go.

A mailbox hands out messages and files them away; what became of each is remembered
in the database, never in the mailbox, because keywords and flags are not kept by
every server.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from mpms.factory.domain.order_mail.showing import MailText


@dataclass(frozen=True, order=True)
class MailMessageId:
    """Where a message lies. After a change of uidvalidity a uid means another one."""

    account: str
    folder: str
    uidvalidity: int
    uid: int


@dataclass(frozen=True)
class MailMessage:
    """One message as the mailbox holds it; ``raw`` is None if it is too large."""

    id: MailMessageId
    size_bytes: int
    raw: bytes | None
    headers: bytes = b""  # of a message that is too large to fetch


class ReadText(Protocol):
    """Reads a stored message in words, where it can hurt nobody."""

    def __call__(self, raw: bytes, /) -> MailText: ...


class MailboxSession(Protocol):
    """One conversation with the server. Anything that goes wrong in it is
    MailboxUnavailable with the cause in plain words."""

    def messages(self) -> Sequence[MailMessageId]:
        """Everything that lies in the inbox now, oldest first."""
        ...

    def fetch(self, message: MailMessageId) -> MailMessage | None:
        """None if it is gone meanwhile."""
        ...

    def file_away(self, message: MailMessageId, folder: str) -> None:
        """Move to Processed or Rejected, made if missing; no error if it is gone."""
        ...


class Mailbox(Protocol):
    """The mailbox that orders arrive in."""

    def open(self) -> AbstractContextManager[MailboxSession]: ...

    def wait(self, timeout_s: float) -> bool:
        """Sleep until something arrived (IDLE) or the time is over; True: look."""
        ...

    def close(self) -> None: ...
