"""How mail stands, for the pages of administrators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class MailFacts:
    """Where the mail stands."""

    last_read_at: datetime | None
    replies_waiting: int
    replies_lost: int
    last_sent_at: datetime | None


@dataclass(frozen=True)
class UnsentReply:
    """A reply that has not gone out, or of which nobody knows."""

    id: str
    recipient: str
    subject: str
    state: str
    attempts: int
    next_at: datetime
    error: str | None
    written_at: datetime


@dataclass(frozen=True)
class MailRead:
    """A message and what became of it."""

    at: datetime
    sender: str | None
    outcome: str
    order: str | None
    reasons: Sequence[Mapping[str, str]]


class MailVitals(Protocol):
    """How mail stands."""

    def mail(self) -> MailFacts: ...
    def replies(self, limit: int) -> Sequence[UnsentReply]: ...
    def mails(self, limit: int) -> Sequence[MailRead]: ...
