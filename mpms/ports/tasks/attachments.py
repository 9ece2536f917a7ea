"""Photos and signatures of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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
