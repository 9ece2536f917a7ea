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
        limits = self._loaded or self.limits
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
