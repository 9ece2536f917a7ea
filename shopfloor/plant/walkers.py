"""People in the plant: they walk from place to place, stand, and come to see robots.

Careful people walk around a robot in their way, on their right, and go somewhere else
when they cannot get past. Others keep less room, look elsewhere, or walk backwards, and
walk into a robot: that a robot touches nobody must not be the merit of the people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.planning import plan

BODY_M = 0.25
ROOM_M = 0.35
"""People keep so far off walls and boxes."""
KEEP_M = 0.45
"""From the body to a robot's hull: nobody walks nearer on purpose."""
REACTION_S = 0.3
PATIENCE_S = 4.0
PROGRESS_M = 0.5
"""Who got no farther within the patience goes somewhere else."""
LOOK_AGAIN_S = 1.0

Intent = Literal["walk", "stand", "approach"]


@dataclass(frozen=True, slots=True)
class Manners:
    speeds_mps: tuple[float, float] = (0.6, 1.3)
    approach_share: float = 0.35
    """Of the walks that lead to a robot instead of a place."""
    stop_before_m: tuple[float, float] = (0.5, 1.0)
    """From the hull, for those who come to see a robot."""
    stands_s: tuple[float, float] = (1.0, 8.0)
    keep_m: float = KEEP_M
    """From the body to a robot's hull; below 0 they walk until they touch it."""
    looks: bool = True
    """Who does not look walks around no robot."""
    body_m: float = BODY_M
    """Their radius; with a cart, that of both."""


TEMPERS: dict[str, Manners] = {
    "careful": Manners(),
    "hurried": Manners(
        (1.2, 1.8), approach_share=0.1, keep_m=0.15, stands_s=(0.5, 3.0)
    ),
    "absent_minded": Manners(approach_share=0.0, keep_m=-0.02, looks=False),
    "backwards": Manners((0.3, 0.7), approach_share=0.0, keep_m=-0.02, looks=False),
    "child": Manners(
        (0.6, 1.6),
        approach_share=0.6,
        stop_before_m=(0.0, 0.4),
        keep_m=-0.02,
        body_m=0.15,
    ),
    "cart": Manners((0.5, 1.0), approach_share=0.1, keep_m=0.3, body_m=0.4),
}
"""Kinds of people, by name."""


class Walker:
    def __init__(
        self,
        name: str,
        x_m: float,
        y_m: float,
        random: np.random.Generator,
        manners: Manners | None = None,
        rounds: Sequence[tuple[float, float]] = (),
    ) -> None:
        """Those with rounds walk from one place of theirs to the next, for ever."""
        self.name = name
        self.x_m = x_m
        self.y_m = y_m
        self.vx_mps = 0.0
        self.vy_mps = 0.0
        self.intent: Intent = "stand"
        self.manners = manners or Manners()
        self._random = random
        self._rounds = tuple(rounds)
        self._next = 1 % len(self._rounds) if self._rounds else 0
        self._speed_mps = 1.0
        self._route: list[tuple[float, float]] = []
        self._until_s = float(random.uniform(0.0, 3.0))
        self._side = 0.0
        """On which side of a robot; kept, so that nobody dithers before one."""
        self._was_at = (x_m, y_m, 0.0)
        self._look_s = 0.0
        self._target = 0
        self._stop_m = 0.6

    @property
    def disc(self) -> tuple[float, float, float]:
        return self.x_m, self.y_m, self.manners.body_m

    def reroute(self) -> None:
        """The floor changed; think again where to walk."""
        self._route = []

    def step(
        self,
        now_s: float,
        dt_s: float,
        floor: Grid,
        robots: Sequence[tuple[Pose, float]],
    ) -> None:
        """``floor`` is where people may walk; robots come as pose and radius."""
        if self.intent == "stand" and now_s >= self._until_s:
            self._decide(now_s, floor, robots)
        if self.intent == "approach":
            self._follow(now_s, floor, robots)
        wx, wy = self._wish(now_s)
        wx, wy = self._around_robots(wx, wy, floor, robots)
        share = min(1.0, dt_s / REACTION_S)
        self.vx_mps += share * (wx - self.vx_mps)
        self.vy_mps += share * (wy - self.vy_mps)
        x, y = self.x_m + self.vx_mps * dt_s, self.y_m + self.vy_mps * dt_s
        if not floor.is_free(x, y) and floor.is_free(self.x_m, self.y_m):
            self.vx_mps = self.vy_mps = 0.0
            self._route = []
        elif not self._too_near(x, y, robots):
            self.x_m, self.y_m = x, y
        else:
            self.vx_mps = self.vy_mps = 0.0
        was_x, was_y, since_s = self._was_at
        moved = math.hypot(self.x_m - was_x, self.y_m - was_y) > PROGRESS_M
        if moved or self.intent == "stand":
            self._was_at = (self.x_m, self.y_m, now_s)
        elif now_s - since_s > PATIENCE_S:
            self._was_at = (self.x_m, self.y_m, now_s)
            self._walk_somewhere(now_s, floor)

    def _decide(
        self, now_s: float, floor: Grid, robots: Sequence[tuple[Pose, float]]
    ) -> None:
        random, manners = self._random, self.manners
        self._speed_mps = float(random.uniform(*manners.speeds_mps))
        self._stop_m = float(random.uniform(*manners.stop_before_m))
        if robots and random.random() < manners.approach_share:
            self.intent = "approach"
            self._target = int(random.integers(len(robots)))
            self._look_s = -math.inf
            self._until_s = now_s + 25.0
        else:
            self._walk_somewhere(now_s, floor)

    def approach(self, robot: int, now_s: float, stop_before_m: float = 0.6) -> None:
        """Go and see this robot, now."""
        self.intent, self._target, self._stop_m = "approach", robot, stop_before_m
        self._speed_mps = 1.0
        self._look_s = -math.inf
        self._until_s = now_s + 25.0

    def _walk_somewhere(self, now_s: float, floor: Grid) -> None:
        self.intent = "walk"
        if self._rounds:
            place = self._rounds[self._next]
            self._next = (self._next + 1) % len(self._rounds)
            if not self._plan(floor, *place):
                self._stand(now_s)
            return
        free = floor.prepared.get("walkable")
        if free is None:
            free = floor.prepared["walkable"] = np.argwhere(floor.cells == 0)
        row, column = free[int(self._random.integers(len(free)))]
        x, y = floor.to_metres(np.array([[column + 1.5, row + 1.5]]))[0]
        if not self._plan(floor, float(x), float(y)):
            self._stand(now_s)

    def _plan(self, floor: Grid, x_m: float, y_m: float) -> bool:
        start = floor.nearest_free(self.x_m, self.y_m, 1.0)
        goal = floor.nearest_free(x_m, y_m, 1.0)
        if start is None or goal is None:
            return False
        path = plan(floor, start, goal)
        points: NDArray[np.float64] = path.xy
        self._route = [(float(x), float(y)) for x, y in points[1:]]
        return path.ok

    def _stand(self, now_s: float) -> None:
        self.intent = "stand"
        self._route = []
        self._until_s = now_s + float(self._random.uniform(*self.manners.stands_s))

    def _follow(
        self, now_s: float, floor: Grid, robots: Sequence[tuple[Pose, float]]
    ) -> None:
        if self._target >= len(robots) or now_s > self._until_s:
            self._stand(now_s)
            return
        pose, radius = robots[self._target]
        away = math.hypot(pose.x_m - self.x_m, pose.y_m - self.y_m)
        if away - radius - self.manners.body_m < self._stop_m:
            self._stand(now_s)
        elif now_s >= self._look_s + LOOK_AGAIN_S:
            self._look_s = now_s
            if not self._plan(floor, pose.x_m, pose.y_m):
                self._stand(now_s)

    def _wish(self, now_s: float) -> tuple[float, float]:
        while self._route:
            tx, ty = self._route[0]
            away = math.hypot(tx - self.x_m, ty - self.y_m)
            if away > 0.15:
                speed = (
                    self._speed_mps
                    if len(self._route) > 1
                    else min(self._speed_mps, 2.0 * away)
                )
                return speed * (tx - self.x_m) / away, speed * (ty - self.y_m) / away
            self._route.pop(0)
        if self.intent == "walk":
            self._stand(now_s)
        return 0.0, 0.0

    def _around_robots(
        self,
        wx: float,
        wy: float,
        floor: Grid,
        robots: Sequence[tuple[Pose, float]],
    ) -> tuple[float, float]:
        speed = math.hypot(wx, wy)
        if speed == 0.0 or self.intent == "approach" or not self.manners.looks:
            return wx, wy
        for pose, radius in robots:
            dx, dy = pose.x_m - self.x_m, pose.y_m - self.y_m
            away = math.hypot(dx, dy)
            gap = away - radius - self.manners.body_m
            if gap > 1.2 or away == 0.0 or wx * dx + wy * dy <= 0.0:
                continue
            sides = (self._side, -self._side) if self._side else (1.0, -1.0)
            for side in sides:
                ax, ay = side * dy / away, -side * dx / away
                lean = 0.0 if gap > 0.7 else -0.3
                ax, ay = ax + lean * dx / away, ay + lean * dy / away
                if floor.is_free(self.x_m + 0.3 * ax, self.y_m + 0.3 * ay):
                    self._side = side
                    return 0.7 * speed * ax, 0.7 * speed * ay
            return 0.0, 0.0
        self._side = 0.0
        return wx, wy

    def _too_near(
        self, x: float, y: float, robots: Sequence[tuple[Pose, float]]
    ) -> bool:
        for pose, radius in robots:
            away = math.hypot(pose.x_m - x, pose.y_m - y)
            before = math.hypot(pose.x_m - self.x_m, pose.y_m - self.y_m)
            room_m = self.manners.body_m + self.manners.keep_m
            if away < radius + room_m and away < before:
                return True
        return False
