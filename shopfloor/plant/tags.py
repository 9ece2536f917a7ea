"""Position tags in the plant: ranges to the anchors in sight, one tracker per tag.

A tag asks one anchor after the other. Walls swallow the signal; now and then a shelf
or a body delays it. People and robots differ in nothing but the motion model.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import numpy as np

from shopfloor.geometry import Odometry, Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.lasers import cast
from shopfloor.sim.world import Anchor as WorldAnchor
from shopfloor.tracking import (
    Anchor,
    Bounds,
    Range,
    RangeNoise,
    RangeSource,
    TagTracker,
)
from shopfloor.tracking.motion import Driving, Walking

PERSON_TAG_M = (0.9, 1.6)
"""At a belt, around a neck, on a helmet: no tracker is told how high."""
ROBOT_TAG_M = 0.5
"""Mounted there, so its tracker knows."""
FRESH_S = 1.0
"""A tag that was not heard for longer is not shown to robots."""
BEFORE_WALL_M = 0.3
"""Anchors hang on walls, some of them inside the map's thick lines."""
SIGHT_EVERY = 8
"""What is in sight changes slowly: looked up once in so many ranges."""


class TagNetwork:
    def __init__(
        self,
        grid: Grid,
        anchors: Sequence[WorldAnchor],
        noise: RangeNoise | None = None,
        seed: int = 0,
    ) -> None:
        self._grid = grid
        self.anchors = tuple(Anchor(a.id, a.x_m, a.y_m, a.z_m) for a in anchors)
        self._x_m = np.array([a.x_m for a in self.anchors])
        self._y_m = np.array([a.y_m for a in self.anchors])
        self.noise = noise or RangeNoise(delayed_share=0.1)
        self._source = RangeSource(self.anchors, self.noise, seed)
        self._random = random.Random(seed)  # noqa: S311
        self._heights_m: dict[str, float] = {}
        self._trackers: dict[str, TagTracker] = {}
        self._heard_s: dict[str, float] = {}
        self._asked: dict[str, int] = {}
        self._in_sight: dict[str, list[Anchor]] = {}
        self._odometry: dict[str, Pose] = {}
        self.silent: set[str] = set()
        """Tags whose battery is empty, or that somebody left in a locker."""
        self.on_range: Callable[[Range], None] = lambda taken: None
        # Nobody walks outside the walls, whatever lies in a mirror.
        rows, columns = np.nonzero(grid.cells == 0)
        ends = np.array(
            [[columns.min(), rows.min()], [columns.max() + 1, rows.max() + 1]]
        )
        (left, low), (right, high) = grid.to_metres(ends + 1.0).tolist()
        self._bounds = Bounds(left, low, right, high)

    @property
    def usable(self) -> bool:
        return len(self.anchors) >= 2

    def add(self, tag: str, *, robot: bool = False) -> None:
        if self.usable:
            self._trackers[tag] = TagTracker(
                self.anchors,
                Driving() if robot else Walking(),
                bounds=self._bounds,
                tag_height_m=ROBOT_TAG_M if robot else None,
            )
            self._heights_m[tag] = (
                ROBOT_TAG_M if robot else self._random.uniform(*PERSON_TAG_M)
            )
            # Tags do not speak at the same time.
            self._asked[tag] = len(self._trackers)

    def drive(self, now_s: float, tag: str, odometry: Odometry) -> None:
        """Tell a robot's tag how the wheels turned since the last time."""
        tracker = self._trackers.get(tag)
        last = self._odometry.get(tag)
        self._odometry[tag] = odometry.pose
        if tracker is None or last is None:
            return
        step = odometry.pose.seen_from(last)
        half = Pose(0.0, 0.0, 0.5 * step.yaw_rad)
        straight = Pose(step.x_m, step.y_m).seen_from(half)
        tracker.move(now_s, straight.x_m, straight.y_m, step.yaw_rad)

    def measure(self, now_s: float, tag: str, x_m: float, y_m: float) -> None:
        """One range to the next anchor in sight, if any."""
        tracker = self._trackers.get(tag)
        if tracker is None or tag in self.silent:
            return
        asked = self._asked[tag]
        self._asked[tag] = asked + 1
        if tag not in self._in_sight or asked % SIGHT_EVERY == 0:
            self._in_sight[tag] = self._heard_from(x_m, y_m)
        seen = self._in_sight[tag]
        if not seen:
            return
        height_m = self._heights_m[tag]
        one = self._source.measure_one(
            now_s, tag, x_m, y_m, seen[asked % len(seen)], height_m=height_m
        )
        if one is not None:
            self.on_range(one)
            tracker.absorb(now_s, one.anchor, one.range_m)
            self._heard_s[tag] = now_s

    def _heard_from(self, x_m: float, y_m: float) -> list[Anchor]:
        """The anchors with no wall in between."""
        dx, dy = self._x_m - x_m, self._y_m - y_m
        away = np.hypot(dx, dy)
        farthest = float(away.max()) + 0.1
        hit = cast(self._grid, Pose(x_m, y_m), np.arctan2(dy, dx), farthest)
        clear = (hit > away - BEFORE_WALL_M) | (away < BEFORE_WALL_M)
        return [a for a, free in zip(self.anchors, clear, strict=True) if free]

    def seen(self, tag: str, now_s: float) -> TagSeen | None:
        """What robots are told about a tag; nothing as long as it is not located."""
        tracker = self._trackers.get(tag)
        if tracker is None or now_s - self._heard_s.get(tag, -math.inf) > FRESH_S:
            return None
        found = tracker.estimate
        if found is None:
            return None
        vx, vy = found.velocity_mps or (0.0, 0.0)
        return TagSeen(tag, found.x_m, found.y_m, found.sigma_m, vx, vy)
