"""What the pages about models read of them, and drafts that nobody deployed yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True)
class DeployedRow:
    """A version of a process, decision or form, and who deployed it."""

    key: str
    version: int
    name: str
    digest: str
    deployed_at: datetime
    deployed_by: str
    note: str
    active: int = 0  # instances that run it


@dataclass(frozen=True)
class ModelDraft:
    """What somebody has drawn and not deployed."""

    kind: str  # process, decision
    key: str
    base_version: int | None  # where it began; None: with nothing
    content: bytes
    saved_at: datetime


class Models(Protocol):
    """Deployed versions by the list, and drafts by the person."""

    def processes(self) -> Sequence[DeployedRow]:
        """All versions of all processes: by key, the newest first."""
        ...

    def decisions(self) -> Sequence[DeployedRow]: ...
    def forms(self) -> Sequence[DeployedRow]: ...
    def templates(self) -> Sequence[dict[str, Any]]:
        """Element templates as they were deployed, by name and version."""
        ...

    def template_versions(self) -> Sequence[DeployedRow]:
        """The same as lines, the newest version of each first."""
        ...

    def template(self, template_id: str, version: int) -> dict[str, Any] | None: ...
    def keep_template(self, template: dict[str, Any], *, by: str) -> None:
        """The last of the same id and version counts."""
        ...

    def decision(self, key: str, version: int) -> bytes | None: ...
    def form(self, form: str, version: int) -> dict[str, Any] | None: ...
    def drafts(self, person_id: int) -> Sequence[ModelDraft]:
        """Without their contents, the last saved first."""
        ...

    def draft(self, person_id: int, kind: str, key: str) -> ModelDraft | None: ...
    def save_draft(
        self,
        person_id: int,
        kind: str,
        key: str,
        content: bytes,
        *,
        base_version: int | None,
    ) -> datetime: ...
    def drop_draft(self, person_id: int, kind: str, key: str) -> bool: ...
