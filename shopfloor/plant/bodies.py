"""The steel of a robot: what it makes of a command, however sudden.

Motors push a mass, so speeds follow commands only as fast as force allows, with or
without a load; a differential base never moves sideways. A command bites one cycle
after it was given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from shopfloor.control.limits import RobotLimits
from shopfloor.geometry import Pose, wrapped

HEADROOM = 1.2
"""Motors are somewhat stronger than the control is allowed to ask for."""

GUIDE_M_PER_M = 0.2
GUIDE_RAD_PER_M = 1.0
"""How fast the lines of a grid pull a robot onto them."""


@dataclass(frozen=True, slots=True)
class Hull:
    """A disc, or with a length and a width a rectangle about the middle."""

    radius_m: float = 0.3
    length_m: float = 0.0
    width_m: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.radius_m) and self.radius_m > 0.0):
            raise ValueError(f"a hull has a radius above 0 m, not {self.radius_m}")
        if (self.length_m > 0.0) != (self.width_m > 0.0):
            raise ValueError("a rectangular hull has both a length and a width")

    @property
    def reach_m(self) -> float:
        """From the middle to the farthest point."""
        if self.length_m == 0.0:
            return self.radius_m
        return 0.5 * math.hypot(self.length_m, self.width_m)


@dataclass(slots=True)
class Body:
    pose: Pose
    limits: RobotLimits
    vx_mps: float = 0.0
    vy_mps: float = 0.0
    wz_radps: float = 0.0
    payload_kg: float = 0.0
    travelled_m: float = 0.0
    hardest_mps2: float = 0.0
    """The largest change of speed so far, for whoever checks the limits."""
    _loaded: RobotLimits | None = field(default=None)
    _next: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0))

    @property
    def able(self) -> RobotLimits:
        """With the load that is on it."""
        return self._loaded or self.limits

    @property
    def speed_mps(self) -> float:
        return math.hypot(self.vx_mps, self.vy_mps)

    def load(self, payload_kg: float) -> None:
        self._loaded = self.limits.loaded(payload_kg)
        self.payload_kg = payload_kg

    def step(self, vx_mps: float, vy_mps: float, wz_radps: float, dt_s: float) -> Pose:
        """Move for one cycle by the command before; returns where it was."""
        wanted, self._next = self._next, (vx_mps, vy_mps, wz_radps)
        self._push(*wanted, dt_s)
        before = self.pose
        turn = self.wz_radps * dt_s
        middle = Pose(before.x_m, before.y_m, before.yaw_rad + 0.5 * turn)
        moved = middle.plus(Pose(self.vx_mps * dt_s, self.vy_mps * dt_s))
        self.pose = Pose(moved.x_m, moved.y_m, wrapped(before.yaw_rad + turn))
        self.travelled_m += self.speed_mps * dt_s
        return before

    def _push(self, vx: float, vy: float, wz: float, dt_s: float) -> None:
        limits = self.able
        if limits.drive == "differential":
            vy = 0.0
        slower = math.hypot(vx, vy) < self.speed_mps
        most = limits.braking_mps2 if slower else HEADROOM * limits.accel_mps2
        dx, dy = vx - self.vx_mps, vy - self.vy_mps
        change = math.hypot(dx, dy)
        share = min(1.0, most * dt_s / change) if change > 0.0 else 0.0
        self.vx_mps += share * dx
        self.vy_mps += share * dy
        self.hardest_mps2 = max(self.hardest_mps2, share * change / dt_s)
        turn = 2.0 if abs(wz) < abs(self.wz_radps) else HEADROOM
        reach = turn * limits.turn_accel_radps2 * dt_s
        self.wz_radps += min(max(wz - self.wz_radps, -reach), reach)


@dataclass(slots=True)
class GridBody(Body):
    """Rolls along the lines of a grid on the floor, or turns on the spot, never both.

    The lines guide it: rolling, it swings onto the nearest line and its direction,
    as a robot does that reads marks in the floor.
    """

    cell_m: float = 1.0
    origin: tuple[float, float] = (0.0, 0.0)

    def step(self, vx_mps: float, vy_mps: float, wz_radps: float, dt_s: float) -> Pose:
        before = Body.step(self, vx_mps, vy_mps, wz_radps, dt_s)
        rolled_m = abs(self.vx_mps) * dt_s
        if rolled_m > 0.0:
            self.pose = self._guided(rolled_m)
        return before

    def _push(self, vx: float, vy: float, wz: float, dt_s: float) -> None:
        if self.vx_mps != 0.0:
            wz = 0.0
        elif wz != 0.0 or self.wz_radps != 0.0:
            vx = 0.0
        Body._push(self, vx, 0.0, wz, dt_s)

    def _guided(self, rolled_m: float) -> Pose:
        x_m, y_m, yaw = self.pose.x_m, self.pose.y_m, self.pose.yaw_rad
        quarter = round(yaw / (0.5 * math.pi))
        yaw += _towards_zero(0.5 * math.pi * quarter - yaw, GUIDE_RAD_PER_M * rolled_m)
        reach = GUIDE_M_PER_M * rolled_m
        if quarter % 2:
            x_m += _towards_zero(self._off_line(x_m - self.origin[0]), reach)
        else:
            y_m += _towards_zero(self._off_line(y_m - self.origin[1]), reach)
        return Pose(x_m, y_m, wrapped(yaw))

    def _off_line(self, along_m: float) -> float:
        """To the line through the middle of the cell."""
        middle = (math.floor(along_m / self.cell_m) + 0.5) * self.cell_m
        return middle - along_m


def _towards_zero(off: float, reach: float) -> float:
    return min(max(off, -reach), reach)
