"""What became of each message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.factory.ports.mail.mailbox import MailMessageId


@dataclass(frozen=True)
class MailRecord:
    """What is remembered of one message; its raw bytes are kept."""

    message: MailMessageId
    sha256: str
    size_bytes: int
    raw: bytes | None
    sender: str | None
    message_id: str | None
    counts: bool  # the first of its id from a trusted sender
    outcome: str  # accepted, rejected, ignored
    reasons: list[dict[str, str]]
    order_number: str | None


class Mails(Protocol):
    """What became of each message."""

    def known(self, messages: Iterable[MailMessageId]) -> dict[MailMessageId, str]:
        """Those that have been read before, with their outcome."""
        ...

    def lock(self, key: str) -> None:
        """One message of a sender at a time, so that its copies see each other."""
        ...

    def seen(self, sender: str, message_id: str) -> bool: ...
    def copies(self, sha256: str) -> set[str]:
        """The outcomes of messages with these very bytes."""
        ...

    def sender_known(self, sender: str) -> bool:
        """Whether an order of this sender was made, or let be made, before."""
        ...

    def add(self, mail: MailRecord) -> int | None:
        """The new row's id; None if this place in the mailbox was read before."""
        ...

    def raw(self, mail_id: int) -> bytes | None:
        """The bytes of a message; None if it was too large to be fetched."""
        ...

    def of_order(self, number: str) -> tuple[int, str, str | None] | None:
        """(id, sender, message id) of the message that brought an order."""
        ...

    def counts(self) -> dict[str, int]: ...
