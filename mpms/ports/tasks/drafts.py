"""Answers that are not finished."""

from __future__ import annotations

from typing import Any, Protocol


class Drafts(Protocol):
    """What has been typed into an open form."""

    def save(self, task_id: str, field: str, value: Any, *, by: str) -> bool:
        """False if the task no longer waits."""
        ...

    def of(self, task_id: str) -> dict[str, Any]: ...
