"""Doors: openings of the map that are shut now and then.

A robot must find out by its lasers that a way is closed, and that it is free again. A
door has a light curtain: it never closes on a robot, a person, or a robot that could
not stop before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from shopfloor.plant.boxes import Box
from shopfloor.plant.gap_kernels import point_to_segment
from shopfloor.sim.world import DoorSpec

LEAF_M = 0.04
"""How thick a leaf is."""
CURTAIN_M = 0.35
"""A door stays open while a body is nearer, braking distance apart."""


class Door:
    """Changes within the next step of the plant."""

    def __init__(self, spec: DoorSpec, seed: Sequence[int] = (0,)) -> None:
        self.spec = spec
        self.id = spec.id
        self.closed = False
        self.held_open = False
        """It ought to be closed, but something is in the way."""
        dx, dy = spec.x2_m - spec.x1_m, spec.y2_m - spec.y1_m
        self.leaf = Box(
            0.5 * (spec.x1_m + spec.x2_m),
            0.5 * (spec.y1_m + spec.y2_m),
            math.hypot(dx, dy),
            LEAF_M,
            math.atan2(dy, dx),
        )
        self._asked: bool | None = None
        self._first_s = spec.opens_s
        if self._first_s is None and spec.closed_every_s is not None:
            random = np.random.default_rng(seed)
            self._first_s = float(random.uniform(0.0, spec.closed_every_s))

    def open(self) -> None:
        """By hand; the schedule counts no more."""
        self._asked = True

    def close(self) -> None:
        """By hand, as soon as nothing is in the way; the schedule counts no more."""
        self._asked = False

    def follow_schedule(self) -> None:
        self._asked = None

    def ought_to_be_open(self, now_s: float) -> bool:
        if self._asked is not None:
            return self._asked
        if self._first_s is None or now_s < self._first_s - 1e-9:
            return False
        since_s = now_s - self._first_s
        if self.spec.closed_every_s is not None:
            since_s = math.fmod(since_s + 1e-9, self.spec.closed_every_s)
        return self.spec.open_for_s is None or since_s < self.spec.open_for_s

    def step(self, now_s: float, bodies: Iterable[tuple[float, float, float]]) -> bool:
        """Bodies come as discs, grown by their braking distance. Has it moved."""
        was_closed = self.closed
        shut = not self.ought_to_be_open(now_s)
        self.held_open = shut and not was_closed and self.is_blocked(bodies)
        self.closed = shut and not self.held_open
        return self.closed != was_closed

    def is_blocked(self, bodies: Iterable[tuple[float, float, float]]) -> bool:
        spec = self.spec
        ends = (spec.x1_m, spec.y1_m, spec.x2_m, spec.y2_m)
        return any(
            point_to_segment(x, y, *ends) - reach_m < CURTAIN_M
            for x, y, reach_m in bodies
        )

    def give_way(self, body: tuple[float, float, float]) -> bool:
        """Somebody was put where it stands: open. Was that so."""
        if not (self.closed and self.is_blocked([body])):
            return False
        self.closed = False
        return True
