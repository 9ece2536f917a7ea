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
from shopfloor.local.peers import Peer, kept_apart
from shopfloor.local.people import Courtesy, kept_away

STANDOFF_M = 0.05
"""Room left before anything seen, when the brakes must work."""
COMFORT_M = 0.08
"""The same for ordinary slowing."""
KEEP_M = 0.10
"""Room that the robot's own motion leaves on every side, by the lasers."""
TIGHT_KEEP_M = 0.09
"""The same beside racks where it has to stand."""
ESCAPE_KEEP_M = 0.05
"""The same where it must get out."""
CREEP_MPS = 0.05
CREEPS_NEARER_M = 0.02


class Motion:
    """What is commanded now, and how it may change."""

    def __init__(
        self, limits: RobotLimits, around: Surroundings, courtesy: Courtesy
    ) -> None:
        self.limits = limits
        self._around = around
        self._courtesy = courtesy
        self.keep_m = KEEP_M
        self.peers: Sequence[Peer] = ()
        """Other robots as they are seen in this cycle."""
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
        vx, vy = self._kept_off(vx, vy, 0.8 * limits.accel_mps2)
        kept = self._kept(vx, vy, pose, people)
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
        off = self._kept_off(ramp.x, ramp.y, limits.braking_mps2, slide=False)
        honest = min(honest, math.hypot(*off))
        kept = self._kept(ramp.x, ramp.y, pose, people)
        ramp.brake(min(honest, kept * ramp.speed), dt_s, limits.braking_mps2)

    def _kept_off(
        self, vx: float, vy: float, braking_mps2: float, *, slide: bool = True
    ) -> tuple[float, float]:
        limits = self.limits
        slide_along = slide and limits.drive == "holonomic"
        keep_m = self.keep_m if slide else self.keep_m - 0.02
        size = math.hypot(vx, vy)
        kept = self._around.kept_off(
            vx, vy, keep_m, braking_mps2, limits.latency_s, slide=slide_along
        )
        if size <= CREEP_MPS or math.hypot(*kept) >= CREEP_MPS:
            return kept
        # A robot that stands nearer already must still be able to get on.
        slow = CREEP_MPS / size
        return self._around.kept_off(
            vx * slow,
            vy * slow,
            max(ESCAPE_KEEP_M, self.keep_m - CREEPS_NEARER_M),
            braking_mps2,
            limits.latency_s,
            slide=slide_along,
        )

    def _kept(
        self, vx: float, vy: float, pose: Pose, people: Sequence[TagSeen]
    ) -> float:
        away = kept_away(vx, vy, pose, people, self.limits, self._courtesy)
        return min(away, kept_apart(vx, vy, pose, self.peers, self.limits))

    def slow_down(self, dt_s: float) -> None:
        limits = self.limits
        self.speed.step(0.0, 0.0, dt_s, limits.accel_mps2, limits.jerk_mps3)
        self.turn.step(
            0.0, 0.0, dt_s, limits.turn_accel_radps2, limits.turn_jerk_radps3
        )
