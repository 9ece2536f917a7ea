"""What the pages for administrators are told of the process that serves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class SettingShown:
    """One setting as everybody who administers may read it."""

    name: str
    value: str
    source: str  # environment, file, default, embedded
    meaning: str
    without: str


@dataclass(frozen=True)
class LogFile:
    """A file of the log that can be fetched."""

    name: str
    size_bytes: int
    changed_at: datetime
    path: Path


@dataclass(frozen=True)
class PlantDesk:
    """What only the process itself knows."""

    version: str = ""
    migration: str = ""  # the shape of the database that this version wants
    settings: Sequence[SettingShown] = ()
    logs: Callable[[], Sequence[LogFile]] = list
    disk: Callable[[], tuple[int, int]] | None = None  # free and all bytes
