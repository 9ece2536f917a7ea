"""Mails to people about their own account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class Notice:
    """Something of an account was changed; its owner is told."""

    id: int
    name: str
    language: str
    address: str
    what: str
    by: str
    at: datetime


class Notices(Protocol):
    def add(self, login: str, what: str, *, by: str) -> None:
        """Nobody is told who has no mail address."""
        ...

    def take(self, limit: int) -> Sequence[Notice]:
        """Claim what is to be sent: it is sent at most once."""
        ...

    def give_back(self, notice_ids: Sequence[int]) -> None:
        """Nothing went out."""
        ...
