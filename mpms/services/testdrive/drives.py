"""Test-drives that pages and programs ask for and look at while they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mpms.domain.errors import Conflict, NotFound
from mpms.services.testdrive.ask import Asked


class DriveUnknown(NotFound):
    """There is no such test-drive; only the last ones are kept, until a restart."""


class DriveBusy(Conflict):
    """Another test-drive runs. Only one runs at a time; wait for its end."""


class NoDrives(Conflict):
    """This server runs no test-drives."""


@dataclass(frozen=True)
class Drive:
    """One test-drive as it is now."""

    id: str
    by: str
    asked: Asked
    done: int = 0  # arrivals driven
    of: int = 0
    report: Mapping[str, Any] | None = None
    models: Mapping[str, bytes] | None = None  # new and present, to be drawn
    refused: str | None = None

    @property
    def runs(self) -> bool:
        return self.report is None and self.refused is None


class Drives(Protocol):
    """The last ones of this server."""

    def begin(self, asked: Asked, *, by: str) -> str:
        """DriveBusy."""
        ...

    def look(self, drive_id: str) -> Drive:
        """DriveUnknown."""
        ...


class NoneRun:
    """Of a site that was not given any."""

    def begin(self, asked: Asked, *, by: str) -> str:
        raise NoDrives

    def look(self, drive_id: str) -> Drive:
        raise DriveUnknown
