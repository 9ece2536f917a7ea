"""Robots at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class RobotOut:
    """A robot that gets no new work."""

    robot: str
    reason: str
    by: str
    at: datetime


class RobotsOut(Protocol):
    """Robots that were taken out of service."""

    def take(self, robot: str, *, reason: str, by: str) -> bool: ...
    def bring_back(self, robot: str) -> RobotOut | None: ...
    def listing(self) -> Mapping[str, RobotOut]: ...
    def owners(self) -> Mapping[str, tuple[str | None, datetime | None]]:
        """Robot to the worker that speaks with it and when it last said something."""
        ...
