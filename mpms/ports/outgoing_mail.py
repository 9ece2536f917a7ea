"""Mail that we send."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

OF_DELIVERY = "delivery-"
"""How the ids of mails begin that answer nobody: what customers are told."""


class MailServerAway(Exception):
    """The mail server that takes our replies does not answer."""


class ReplyInDoubt(MailServerAway):
    """It was handed a whole reply and did not answer: the reply may have gone out."""


@dataclass(frozen=True)
class Reply:
    """One reply of the outbox; ``id`` makes its Message-ID, so it is recognisable."""

    id: str
    to: str
    subject: str
    body: str
    in_reply_to: str | None
    is_answer: bool = True  # and no message that we write by ourselves


class MailSender(Protocol):
    """Hands replies to the mail server."""

    @property
    def refusals(self) -> Mapping[str, str]:
        """Why replies of the last call will never be taken, by id."""
        ...

    def send(self, replies: Iterable[Reply]) -> list[str]:
        """Send and return the ids that the server took.

        MailServerAway, ReplyInDoubt.
        """
        ...
