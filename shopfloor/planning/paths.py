"""What a planner answers: a path, or the one cause why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class Status(StrEnum):
    OK = "ok"
    START_NOT_FINITE = "start_not_finite"
    GOAL_NOT_FINITE = "goal_not_finite"
    START_OUTSIDE = "start_outside"
    GOAL_OUTSIDE = "goal_outside"
    START_BLOCKED = "start_blocked"
    GOAL_BLOCKED = "goal_blocked"
    UNREACHABLE = "unreachable"


def _no_points() -> NDArray[np.float64]:
    return np.empty((0, 2))


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """Straight from point to point, metres in the frame of the map."""

    status: Status
    method: str
    xy: NDArray[np.float64] = field(default_factory=_no_points)
    length_m: float = 0.0
    expansions: int = 0
    sight_checks: int = 0

    @property
    def ok(self) -> bool:
        return self.status is Status.OK


class UnknownMethod(ValueError):
    """A planner that does not exist."""


class TuningRefused(ValueError):
    """A weight or a limit outside its range."""
