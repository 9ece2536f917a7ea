"""A learned policy as a local planner: the same file drives simulated and real robots.

It is told what it was told when it learned (``shopfloor.learning.sectors``) and is
guarded as every planner is. ``shopfloor learn`` makes the file.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from shopfloor.geometry import Scan
from shopfloor.learning.alley_kernels import wished
from shopfloor.learning.network import Layers, read
from shopfloor.learning.sectors import (
    BEAMS,
    OWN,
    SECTORS,
    hull_m,
    into_sectors,
    observe,
    own_part,
    told_room,
)
from shopfloor.learning.shipped import POLICY, find_policy
from shopfloor.maneuvers.local import LocalPlanner
from shopfloor.maneuvers.scene import Command, DrivingState, Obstacles

SIZE, ACTIONS = SECTORS + OWN, 2


@cache
def layers_of(file: Path) -> Layers:
    return read(file, SIZE, ACTIONS)


class Policy(LocalPlanner):
    """PolicyRefused: the file is no policy."""

    name = "policy"

    def __init__(
        self, vehicle: Vehicle, seed: int = 0, file: Path | None = None
    ) -> None:
        super().__init__(vehicle, seed)
        self.layers = layers_of(file or find_policy(POLICY))
        sensor = vehicle.sensor("lidar")
        self.laser_m = (sensor.at[0], sensor.at[1]) if sensor else (0.0, 0.0)
        self._hull = hull_m(self.outline, self.laser_m)
        self._ranges = np.empty(BEAMS)
        self.seen = np.zeros(SIZE, np.float32)

    def _choose(
        self, state: NDArray[np.float64], leg: NDArray[np.float64], near: Obstacles
    ) -> Command:
        limits = self.vehicle.limits
        observe(
            state,
            leg,
            0,
            len(leg) - 1,
            near.walls,
            near.discs,
            *self.laser_m,
            self._hull,
            limits.forward_mps,
            limits.steering_rad,
            self._ranges,
            self.seen,
        )
        return self._answer()

    def from_scan(
        self, state: DrivingState, leg: NDArray[np.float64], scan: Scan
    ) -> Command:
        """What it wishes by a real scan, as it comes over the bridge; not guarded by a
        map. A scan that looks around and begins at the back. SceneWrong: no numbers."""
        state.checked()
        ranges = np.where(np.isfinite(scan.ranges_m), scan.ranges_m, np.inf)
        ranges = ranges[: len(ranges) // SECTORS * SECTORS].astype(np.float64)
        told_room(ranges, hull_m(self.outline, self.laser_m, len(ranges)))
        into_sectors(ranges, self.seen)
        pose, limits = state.pose, self.vehicle.limits
        own = (pose.x_m, pose.y_m, pose.yaw_rad, state.speed_mps, state.steering_rad)
        own_part(
            np.array(own),
            leg,
            0,
            len(leg) - 1,
            limits.forward_mps,
            limits.steering_rad,
            self.seen,
        )
        return self._answer()

    def _answer(self) -> Command:
        action = self.layers.answer(self.seen[None])[0]
        return Command(*wished(action, self.vehicle.limits.steering_rad))


PLANNER = Policy
