"""The last word on velocities: ramps, the honest speed and the distance to people.

Whatever planner or controller wishes for a velocity, it goes through here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shopfloor.control.limits import RobotLimits, speed_to_stop_within
from shopfloor.control.ramps import Ramp
from shopfloor.control.tracker import Wish
from shopfloor.control.watching import Surroundings
from shopfloor.geometry import Pose, TagSeen
from shopfloor.local.people import Courtesy, kept_away

STANDOFF_M = 0.05
"""Room left before anything seen, when the brakes must work."""
COMFORT_M = 0.08
"""The same for ordinary slowing."""


class Motion:
    """What is commanded now, and how it may change."""

    def __init__(
        self, limits: RobotLimits, around: Surroundings, courtesy: Courtesy
    ) -> None:
        self.limits = limits
        self._around = around
        self._courtesy = courtesy
        self.speed = Ramp()
        self.turn = Ramp()

    @property
    def velocity(self) -> tuple[float, float, float]:
        return self.speed.x, self.speed.y, self.turn.x

    def halt(self) -> None:
        self.speed.halt()
        self.turn.halt()

    def move(
        self, dt_s: float, pose: Pose, wish: Wish, people: Sequence[TagSeen]
    ) -> float:
        """Change speeds towards the wish as far as is safe; the share people leave."""
        limits = self.limits
        vx, vy = wish.vx_mps, wish.vy_mps
        size = math.hypot(vx, vy)
        if size > 0.0:
            room = self._around.free_m(vx, vy) - COMFORT_M
            cap = speed_to_stop_within(room, 0.8 * limits.accel_mps2, limits.latency_s)
            share = min(1.0, cap / size)
            vx, vy = vx * share, vy * share
        kept = kept_away(vx, vy, pose, people, limits, self._courtesy)
        vx, vy = vx * kept, vy * kept
        self.speed.step(vx, vy, dt_s, limits.accel_mps2, limits.jerk_mps3)
        self.turn.step(
            wish.wz_radps,
            0.0,
            dt_s,
            limits.turn_accel_radps2,
            limits.turn_jerk_radps3,
        )
        self.brake_honestly(dt_s, pose, people)
        return kept

    def brake_honestly(
        self, dt_s: float, pose: Pose, people: Sequence[TagSeen]
    ) -> None:
        """Whatever the ramp says: no faster than the brakes can make good."""
        ramp, limits = self.speed, self.limits
        if ramp.speed == 0.0:
            return
        room = self._around.free_m(ramp.x, ramp.y) - STANDOFF_M
        honest = limits.honest_speed_mps(room)
        kept = kept_away(ramp.x, ramp.y, pose, people, limits, self._courtesy)
        ramp.brake(min(honest, kept * ramp.speed), dt_s, limits.braking_mps2)

    def slow_down(self, dt_s: float) -> None:
        limits = self.limits
        self.speed.step(0.0, 0.0, dt_s, limits.accel_mps2, limits.jerk_mps3)
        self.turn.step(
            0.0, 0.0, dt_s, limits.turn_accel_radps2, limits.turn_jerk_radps3
        )
