"""What localisation tells the rest of the robot, whoever worked it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Odometry, Pose, Scan

Status = Literal["tracking", "uncertain", "lost", "blind"]
TRACKING: Status = "tracking"
UNCERTAIN: Status = "uncertain"
"""Several places fit, one is known loosely, or much is seen that no map explains:
a carried robot or a crowd. Drive slowly until it clears up."""
LOST: Status = "lost"
"""What the lasers see does not fit the place; a robot should stand still."""
BLIND: Status = "blind"
"""The lasers see nothing at all; only the wheels are left."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    pose: Pose
    covariance: NDArray[np.float64]
    """3 by 3, of x, y and yaw."""
    status: Status
    quality: float
    """Share of the beams that the map explains from this pose."""
    mass: float = 1.0
    """Share of the belief that lies at this place."""
    particles: int = 0
    in_doubt: bool = False
    """Good enough to drive on with care, not to say that one has arrived: several
    places fit, or so much is hidden that the place is kept by the wheels alone."""


class Localiser(Protocol):
    def update(
        self, at_s: float, odometry: Odometry, scans: Sequence[Scan]
    ) -> Estimate: ...


class KnownPose:
    """A localiser that is told the truth: for tests of everything behind it."""

    def __init__(self, truth: Callable[[], Pose]) -> None:
        self._truth = truth

    def update(
        self, at_s: float, odometry: Odometry, scans: Sequence[Scan]
    ) -> Estimate:
        return Estimate(self._truth(), np.zeros((3, 3)), TRACKING, 1.0)
