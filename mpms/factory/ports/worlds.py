"""Versions of the floor that people drew, and what reads and writes its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

Files = Mapping[str, str]
Draft = Mapping[str, Any]
"""Sections of a world, as its files have them: places, lanes, zones, robots, …"""
FILE = 0
"""The number of the files that the plant came with."""


@dataclass(frozen=True)
class WorldFault:
    """``section`` and ``name`` say which part is wrong; empty: the whole."""

    section: str
    name: str
    text: str
    refuses: bool = True


@dataclass(frozen=True)
class WorldVersion:
    """Who drew it, when, why, from which other; when its preview was seen."""

    number: int
    based_on: int
    by: str
    reason: str
    at: datetime
    previewed_at: datetime | None
    used_at: datetime | None


@dataclass(frozen=True)
class WorldUse:
    """Which version processes take when they start, and who said so."""

    number: int = FILE
    by: str = ""
    at: datetime | None = None


class WorldVersions(Protocol):
    """Versions are added and never changed, but for their preview."""

    def lock(self) -> None: ...
    def add(
        self,
        world: str,
        files: Files,
        *,
        based_on: int,
        by: str,
        reason: str,
    ) -> WorldVersion: ...
    def get(self, world: str, number: int) -> WorldVersion | None: ...
    def files(self, world: str, number: int) -> Files | None: ...
    def preview(self, number: int) -> Mapping[str, Any] | None: ...
    def keep_preview(self, number: int, preview: Mapping[str, Any]) -> None: ...
    def listing(self, world: str, *, limit: int) -> Sequence[WorldVersion]: ...
    def use(self, world: str, number: int, *, by: str, reason: str) -> None: ...
    def in_use(self, world: str) -> WorldUse: ...


@dataclass(frozen=True)
class Checked:
    faults: Sequence[WorldFault] = field(default_factory=tuple)

    @property
    def refused(self) -> bool:
        return any(fault.refuses for fault in self.faults)


class WorldDrafts(Protocol):
    """Reads, writes and checks the files of one world."""

    @property
    def name(self) -> str:
        """Of its directory; versions belong to it."""
        ...

    def files(self) -> Files:
        """What the plant came with."""
        ...

    def draft(self, files: Files) -> Draft: ...
    def written(self, files: Files, draft: Draft) -> Files:
        """The files with the sections of a draft in place of theirs."""
        ...

    def check(self, files: Files) -> Checked:
        """Every mistake at once."""
        ...

    def preview(self, files: Files) -> Mapping[str, Any]:
        """Figures and frames with ten robots. PreviewFailed."""
        ...

    def digest(self, files: Files) -> str:
        """As the fleet calls exactly these files."""
        ...
