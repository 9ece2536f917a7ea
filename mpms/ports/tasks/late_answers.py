"""Answers that came when the task was gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True)
class LateAnswer:
    """An answer from a tablet that came too late; a supervisor decides."""

    id: int
    key: str
    task_id: str
    instance_id: str | None
    business_key: str | None
    task_name: str
    answers: dict[str, Any]
    answered_by: str
    posted_by: str | None  # who was signed in when the tablet handed it in
    device_at: datetime
    received_at: datetime
    reason: str


@dataclass(frozen=True)
class Waiting:
    """How many late answers nobody has decided about."""

    of_task: int
    of_person: int


class LateAnswers(Protocol):
    """Conflicts; nothing that a worker entered is thrown away silently."""

    def add(
        self,
        key: str,
        *,
        task_id: str,
        instance_id: str | None,
        business_key: str | None,
        task_name: str,
        answers: dict[str, Any],
        answered_by: str,
        posted_by: str | None,
        device_at: datetime,
        reason: str,
    ) -> bool:
        """False if this key is there already."""
        ...

    def waiting(self, task_id: str, answered_by: str, *, but: str) -> Waiting:
        """Without the one with this key."""
        ...

    def open(self) -> Sequence[LateAnswer]: ...
    def get(self, late_id: int) -> LateAnswer | None: ...
    def decide(self, late_id: int, *, by: str, decision: str) -> bool: ...
