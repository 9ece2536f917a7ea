"""Speeds that change without a jolt: acceleration is limited and so is its change.

Loads tip when acceleration jumps. Only an emergency may brake without the ramp.
"""

from __future__ import annotations

import math


class Ramp:
    """A velocity in the plane (or, with y left at 0, along one axis)."""

    def __init__(self) -> None:
        self.x = 0.0
        self.y = 0.0
        self._ax = 0.0
        self._ay = 0.0

    @property
    def speed(self) -> float:
        return math.hypot(self.x, self.y)

    def halt(self) -> None:
        self.x = self.y = self._ax = self._ay = 0.0

    def turned(self, angle_rad: float) -> None:
        """The same velocity in a frame that has turned by an angle.

        A robot that moves sideways while it turns keeps its way over the floor.
        """
        if angle_rad == 0.0:
            return
        cos, sin = math.cos(angle_rad), math.sin(angle_rad)
        self.x, self.y = cos * self.x + sin * self.y, cos * self.y - sin * self.x
        self._ax, self._ay = (
            cos * self._ax + sin * self._ay,
            cos * self._ay - sin * self._ax,
        )

    def step(self, x: float, y: float, dt_s: float, accel: float, jerk: float) -> None:
        """Towards the wanted velocity for one cycle."""
        gap_x, gap_y = x - self.x, y - self.y
        gap = math.hypot(gap_x, gap_y)
        if dt_s <= 0.0:
            return
        if gap <= min(jerk * dt_s, accel) * dt_s:
            self.x, self.y, self._ax, self._ay = x, y, 0.0, 0.0
            return
        # The largest acceleration that can still fade out when the gap closes.
        size = min(accel, math.sqrt(jerk * gap), gap / dt_s)
        change_x = gap_x / gap * size - self._ax
        change_y = gap_y / gap * size - self._ay
        change = math.hypot(change_x, change_y)
        most = jerk * dt_s
        if change > most:
            change_x, change_y = change_x * most / change, change_y * most / change
        self._ax += change_x
        self._ay += change_y
        size = math.hypot(self._ax, self._ay)
        if size > accel:
            self._ax, self._ay = self._ax * accel / size, self._ay * accel / size
        self.x += self._ax * dt_s
        self.y += self._ay * dt_s

    def brake(self, speed: float, dt_s: float, braking: float) -> None:
        """Down to a speed in the same direction, as hard as the brakes do."""
        now = self.speed
        if now <= speed:
            return
        share = max(speed, now - braking * dt_s) / now
        self.x, self.y, self._ax, self._ay = self.x * share, self.y * share, 0.0, 0.0
