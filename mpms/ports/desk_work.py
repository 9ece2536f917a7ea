"""The rows of what people do with a task before and after its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


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


class Drafts(Protocol):
    """What has been typed into an open form."""

    def save(self, task_id: str, field: str, value: Any, *, by: str) -> bool:
        """False if the task no longer waits."""
        ...

    def of(self, task_id: str) -> dict[str, Any]: ...


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

    def open(self) -> Sequence[LateAnswer]: ...
    def get(self, late_id: int) -> LateAnswer | None: ...
    def decide(self, late_id: int, *, by: str, decision: str) -> bool: ...


@dataclass(frozen=True)
class Attachment:
    """A photo or a signature."""

    id: str
    instance_id: str
    task_id: str
    field: str
    media_type: str
    content: bytes


class Attachments(Protocol):
    """Photos and signatures of answers."""

    def add(self, attachment: Attachment, *, by: str) -> None: ...
    def get(self, attachment_id: str) -> Attachment | None: ...
