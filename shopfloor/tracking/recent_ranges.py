"""The last second or so of ranges, asked for a place when the filter has none.

The tag moved while they were taken: by its velocity if it walks, by its odometry if it
drives. Only what is left of that motion makes old ranges worth less.
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.multilateration import Place, crossings, locate

Floats = NDArray[np.float64]
Pose = tuple[float, float, float]

# Of the recent ranges alone nobody knows which are delayed: three in ten, say.
DELAYED_SHARE = 0.3
UNKNOWN_SPEED_MPS = 0.3


@dataclass(frozen=True)
class Heard:
    at_s: float
    slot: int
    range_m: float
    odometry: Pose


class RecentRanges:
    def __init__(self, most: int, window_s: float) -> None:
        self._heard: deque[Heard] = deque(maxlen=most)
        self._window_s = window_s

    def __len__(self) -> int:
        return len(self._heard)

    @property
    def slots(self) -> set[int]:
        return {one.slot for one in self._heard}

    def clear(self) -> None:
        self._heard.clear()

    def add(self, heard: Heard) -> None:
        self._heard.append(heard)
        while self._heard[0].at_s < heard.at_s - self._window_s:
            self._heard.popleft()

    def moved_by_walking(self, velocity_mps: Sequence[float]) -> Floats:
        """Where the tag was at each range, relative to now."""
        vx, vy = velocity_mps
        ages = [one.at_s - self._heard[-1].at_s for one in self._heard]
        return np.array([(vx * age, vy * age) for age in ages])

    def moved_by_driving(self, odometry: Pose, heading_rad: float) -> Floats:
        """The same for a robot that now faces ``heading_rad`` in the map."""
        x, y, yaw = odometry
        cos, sin = math.cos(heading_rad - yaw), math.sin(heading_rad - yaw)
        steps = [(o.odometry[0] - x, o.odometry[1] - y) for o in self._heard]
        return np.array([(cos * a - sin * b, sin * a + cos * b) for a, b in steps])

    def places(
        self,
        geometry: Floats,
        variances: Floats,
        late_m: Floats,
        moved: Floats,
        believed: Sequence[tuple[float, float]],
        *,
        walking: bool,
    ) -> list[Place]:
        """The different places that explain what was heard, best first.

        ``late_m``: how much longer than the distance each anchor's ranges are.
        """
        slots = [one.slot for one in self._heard]
        ranges = np.array([one.range_m for one in self._heard]) - late_m[slots]
        latest = dict(zip(slots, ranges.tolist(), strict=True))
        starts = [
            *believed,
            *crossings(geometry[list(latest)], np.array(list(latest.values()))),
        ]
        if not starts:
            return []
        spread = variances[slots]
        if walking:
            ages = np.array([self._heard[-1].at_s - one.at_s for one in self._heard])
            spread = spread + (UNKNOWN_SPEED_MPS * ages) ** 2
        return locate(starts, geometry[slots], ranges, moved, spread, DELAYED_SHARE)
