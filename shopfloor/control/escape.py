"""Getting away from what stopped the robot, when it stays where it is.

A box put down beside the hull keeps the emergency stop on for ever. After a while in
which it does not move, the robot leaves it: slowly, only away from it, only where
both lasers see free room. Whatever moves resets the wait, so people are waited for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shopfloor.control.limits import RobotLimits
from shopfloor.control.watching import ESCAPE_ROOM_M, Near, Surroundings
from shopfloor.geometry import Pose

STILL_M = 0.10
"""A thing that moved less stands still."""


@dataclass(frozen=True, slots=True)
class EscapeRule:
    after_s: float = 3.0
    speed_mps: float = 0.10
    turn_radps: float = 0.4
    reach_m: float = 0.10
    """Free room needed in the direction of escape."""


class Escape:
    def __init__(self, limits: RobotLimits, rule: EscapeRule | None = None) -> None:
        self._limits = limits
        self.rule = rule or EscapeRule()
        self._thing: Pose | None = None
        self._since_s = 0.0
        self._clearance_m = 0.0
        self._way_rad: float | None = None
        """In the frame of the map."""

    def reset(self) -> None:
        self._thing = None
        self._way_rad = None

    def step(
        self, now_s: float, pose: Pose, thing: Near, around: Surroundings
    ) -> tuple[float, float, float] | None:
        """Velocity that leads away, zero while waiting, None with no way out."""
        if not math.isfinite(thing.clearance_m):
            self.reset()
            return (0.0, 0.0, 0.0)
        if self._thing is None or not self._stands_still(pose, thing, around):
            self._thing = pose.plus(Pose(thing.x_m, thing.y_m))
            self._since_s = now_s
            self._clearance_m = thing.clearance_m
        self._clearance_m = max(self._clearance_m, thing.clearance_m)
        if now_s - self._since_s < self.rule.after_s:
            return (0.0, 0.0, 0.0)
        way = self._same_way(pose, thing, around)
        if way is None:
            way = around.way_out(thing, self.rule.reach_m)
        if way is None:
            self._way_rad = None
            return None
        dx, dy = way
        self._way_rad = pose.yaw_rad + math.atan2(dy, dx)
        speed = min(self.rule.speed_mps, self._limits.speed_mps)
        if self._limits.drive == "holonomic":
            return (speed * dx, speed * dy, 0.0)
        angle = math.atan2(dy, dx)
        # Forwards or backwards, whichever needs less turning.
        ahead = abs(angle) <= 0.5 * math.pi
        error = angle if ahead else math.remainder(angle - math.pi, math.tau)
        if abs(error) > 0.2:
            return (0.0, 0.0, math.copysign(self.rule.turn_radps, error))
        return (speed if ahead else -speed, 0.0, 0.0)

    def _same_way(
        self, pose: Pose, thing: Near, around: Surroundings
    ) -> tuple[float, float] | None:
        """The way chosen before, as long as it is one: turning to it takes a while."""
        if self._way_rad is None:
            return None
        angle = self._way_rad - pose.yaw_rad
        dx, dy = math.cos(angle), math.sin(angle)
        leads_away = dx * thing.x_m + dy * thing.y_m < 0.0
        free_m = around.free_m(dx, dy, ESCAPE_ROOM_M)
        return (dx, dy) if leads_away and free_m >= self.rule.reach_m else None

    def _stands_still(self, pose: Pose, thing: Near, around: Surroundings) -> bool:
        """Something is still where it was, and nothing has come nearer."""
        if self._thing is None or thing.clearance_m < self._clearance_m - STILL_M:
            return False
        there = self._thing.seen_from(pose)
        return around.has_return_near(there.x_m, there.y_m, STILL_M)
