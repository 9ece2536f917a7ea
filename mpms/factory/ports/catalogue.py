"""The versions of materials and recipes that people made on the pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

FILE_TAKEN = "catalogue file taken"
VERSION_TAKEN = "catalogue version taken"


@dataclass(frozen=True)
class CatalogueVersion:
    """Who made it, when and why. ``did`` is the kind of its line in the history, such
    as material added or recipe changed; ``thing`` is what it was done to."""

    number: int
    did: str
    thing: str
    by: str
    reason: str
    at: datetime


class CatalogueVersions(Protocol):
    """Versions are added and never changed; the highest number is in force."""

    def lock(self) -> None:
        """Let nobody else add one before this transaction ends."""
        ...

    def newest(self) -> int:
        """0: there is none, the plant's file is in force."""
        ...

    def content(self, number: int) -> str | None: ...
    def before(self, number: int) -> str | None:
        """The content of the version before this one."""
        ...

    def add(
        self, content: str, *, did: str, thing: str, by: str, reason: str
    ) -> CatalogueVersion: ...
    def get(self, number: int) -> CatalogueVersion | None: ...
    def listing(
        self, *, limit: int, below: int | None = None
    ) -> Sequence[CatalogueVersion]: ...
    def changed_since(self, number: int, thing: str) -> CatalogueVersion | None:
        """The last that changed a thing or everything, else the last of all."""
        ...

    def add_picture(self, name: str, content: bytes, *, by: str) -> None: ...
    def picture(self, name: str) -> bytes | None: ...
