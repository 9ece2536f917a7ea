"""What the local planner answers: a way for the next metres, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class LocalStatus(StrEnum):
    FOLLOWING = "following"
    """The global path is free as far as the window reaches."""
    AROUND = "around"
    """A local path leads around something and back."""
    BLOCKED = "blocked"
    BLOCKED_BY_PERSON = "blocked_by_person"
    """It would be free, or much shorter, without the people (or robots) there."""


def _nothing() -> NDArray[np.float64]:
    return np.empty((0, 2))


@dataclass(frozen=True, slots=True, eq=False)
class LocalPath:
    """Waypoints in the frame of the map; the last one lies on the global path."""

    status: LocalStatus
    xy: NDArray[np.float64] = field(default_factory=_nothing)
    progress_m: float = 0.0
    """How far along the global path the robot is."""
    rejoins_m: float = 0.0
    """How far along the global path the local one ends."""
    at_goal: bool = False

    @property
    def ok(self) -> bool:
        return self.status in (LocalStatus.FOLLOWING, LocalStatus.AROUND)


def length_of(xy: NDArray[np.float64]) -> float:
    return float(np.hypot(*np.diff(xy, axis=0).T).sum())
