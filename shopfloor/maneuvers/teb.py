"""TEB, the timed elastic band: the next metres of the way, bent until they can be
driven, keep off what stands there and take the least time.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Vehicle
from shopfloor.maneuvers.band_kernel import NODE, optimise
from shopfloor.maneuvers.local import LocalPlanner
from shopfloor.maneuvers.scene import Command, Obstacles

HORIZON_M = 3.0
APART_M = 0.15
"""Between two poses of the band; more for vehicles that turn wide."""
MOST_NODES = 28
KEEP_M = 0.12
"""The band would like so much room; what it lacks counts."""
ROUNDS = 12
LOOK_S = 0.25
"""The steering of the command is the one that the band has then."""
# Arc, radius, speed, acceleration, steering, time, room, path, end.
WEIGHTS = np.array([30.0, 20.0, 5.0, 1.0, 1.0, 0.35, 20.0, 0.5, 3.0])


class Teb(LocalPlanner):
    name = "teb"

    def __init__(self, vehicle: Vehicle, seed: int = 0) -> None:
        super().__init__(vehicle, seed)
        self.weights = WEIGHTS.copy()
        size = max(1.0, vehicle.turning_radius_m / 1.0)
        self.apart_m = APART_M * min(size, 3.0)
        self.horizon_m = HORIZON_M * min(size, 3.0)
        self._shrunk = 0.7 * min(vehicle.half_width_m, 1.0)
        back, front, half = self.outline
        self._inner = np.array(
            [back + self._shrunk, front - self._shrunk, half - self._shrunk]
        )
        self.band = np.empty((0, NODE))
        """The last plan: rows x, y, yaw, seconds to the next."""

    def forget(self) -> None:
        self.band = np.empty((0, NODE))

    def _choose(
        self, state: NDArray[np.float64], leg: NDArray[np.float64], near: Obstacles
    ) -> Command:
        direction = float(leg[0, 3])
        wanted, ends = self._wanted(state, leg)
        band = self._begin(state, wanted)
        self._improve(state, band, wanted, direction, ends, near)
        if self._touches(band, near):
            # What was bent before leads nowhere; begin with the way as it is.
            fresh = self._timed(wanted)
            self._improve(state, fresh, wanted, direction, ends, near)
            if not self._touches(fresh, near):
                band = fresh
        self.band = band
        return self._command(band, direction, state)

    def _improve(
        self,
        state: NDArray[np.float64],
        band: NDArray[np.float64],
        wanted: NDArray[np.float64],
        direction: float,
        ends: bool,
        near: Obstacles,
    ) -> None:
        optimise(
            band,
            wanted,
            direction,
            float(state[3]),
            float(state[4]),
            ends,
            KEEP_M,
            self.numbers,
            self.outline,
            self._inner,
            self._shrunk,
            near.walls,
            near.discs,
            self.weights,
            ROUNDS,
        )

    def _wanted(
        self, state: NDArray[np.float64], leg: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], bool]:
        """Where the band would lie if nothing stood there, evenly spaced."""
        steps = np.hypot(*np.diff(leg[:, :2], axis=0).T)
        far = np.concatenate([[0.0], np.cumsum(steps)])
        length = min(self.horizon_m, float(far[-1]))
        ends = self.horizon_m >= far[-1]
        count = min(max(math.ceil(length / self.apart_m), 3), MOST_NODES)
        at = np.linspace(0.0, length, count + 1)
        yaw = np.unwrap(leg[:, 2])
        rows = np.stack(
            [np.interp(at, far, v) for v in (leg[:, 0], leg[:, 1], yaw)], axis=1
        )
        # The band begins where the vehicle stands and turns no further than need be.
        rows[:, 2] += math.tau * round((state[2] - rows[0, 2]) / math.tau)
        rows[0] = state[:3]
        return np.ascontiguousarray(rows), ends

    def _timed(self, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        band = np.empty((len(wanted), NODE))
        band[:, :3] = wanted
        gaps = np.hypot(*np.diff(wanted[:, :2], axis=0).T)
        speed = 0.5 * min(
            self.vehicle.limits.forward_mps, self.vehicle.limits.reverse_mps
        )
        band[:-1, 3] = np.maximum(gaps / speed, 0.1)
        band[-1, 3] = 0.1
        return band

    def _begin(
        self, state: NDArray[np.float64], wanted: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The last band from here on, and the way where it ends."""
        fresh = self._timed(wanted)
        old = self.band
        if len(old) < 4:
            return fresh
        away = np.hypot(old[:, 0] - state[0], old[:, 1] - state[1])
        first = int(np.argmin(away[: len(old) // 2]))
        if away[first] > 0.5 * self.apart_m + 0.3:
            return fresh
        kept = old[first + 1 :].copy()
        kept[:, 2] += math.tau * np.round((state[2] - kept[0, 2]) / math.tau)
        points = np.vstack([state[None, :3], kept[:, :3]])
        far = np.concatenate(
            [[0.0], np.cumsum(np.hypot(*np.diff(points[:, :2], axis=0).T))]
        )
        reach = np.concatenate(
            [[0.0], np.cumsum(np.hypot(*np.diff(wanted[:, :2], axis=0).T))]
        )
        inside = reach < far[-1] - self.apart_m
        for k in range(3):
            fresh[inside, k] = np.interp(reach[inside], far, points[:, k])
        fresh[0, :3] = state[:3]
        return self._timed(np.ascontiguousarray(fresh[:, :3]))

    def _touches(self, band: NDArray[np.float64], near: Obstacles) -> bool:
        return any(self.gap_m((x, y, yaw), near) <= 0.0 for x, y, yaw, _ in band[1:10])

    def _command(
        self, band: NDArray[np.float64], direction: float, state: NDArray[np.float64]
    ) -> Command:
        """Speed and curvature over the first moments of the band."""
        base = self.vehicle.dimensions.wheel_base_m
        seconds, length, turn, i = 0.0, 0.0, 0.0, 0
        while i < len(band) - 1 and (i == 0 or seconds < LOOK_S):
            step = band[i + 1] - band[i]
            middle = band[i, 2] + 0.5 * step[2]
            length += step[0] * math.cos(middle) + step[1] * math.sin(middle)
            turn += step[2]
            seconds += max(band[i, 3], 0.02)
            i += 1
        if direction * length < 0.005:
            return Command(0.1 * direction, float(state[4]))
        lock = self.vehicle.limits.steering_rad
        angle = min(max(math.atan(base * turn / length), -lock), lock)
        return Command(length / seconds, angle)


PLANNER = Teb
