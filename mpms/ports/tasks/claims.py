"""Who works on a task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class Claim:
    """A person has taken a task."""

    task_id: str
    claimed_by: str
    claimed_at: datetime


class Claims(Protocol):
    """Who has taken which open form; one person a task."""

    def take(self, task_id: str, login: str) -> bool:
        """False if somebody else has it; True again for the one who has it."""
        ...

    def give_back(self, task_id: str, login: str | None = None) -> bool:
        """``login`` None: whoever has it."""
        ...

    def of(self, task_ids: Iterable[str]) -> dict[str, Claim]: ...
