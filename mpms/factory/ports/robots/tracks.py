"""Where robots were, and how they spent their time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class TrackPoint:
    """A robot at an instant."""

    robot: str
    at: datetime
    x_m: float
    y_m: float


@dataclass(frozen=True)
class Spent:
    """Seconds of a robot by what it did. away: no link, or not ready."""

    robot: str
    driving_s: float = 0.0
    waiting_s: float = 0.0
    idle_s: float = 0.0
    away_s: float = 0.0

    @property
    def seen_s(self) -> float:
        return self.driving_s + self.waiting_s + self.idle_s + self.away_s


class Tracks(Protocol):
    """Written by the worker that speaks with the robot."""

    def add(self, points: Sequence[TrackPoint]) -> None:
        """Points of robots that work for nobody are not kept."""
        ...

    def of_instance(self, instance_id: str, *, limit: int) -> Sequence[TrackPoint]:
        """By robot, the oldest first."""
        ...

    def spend(self, spent: Sequence[Spent]) -> None: ...
