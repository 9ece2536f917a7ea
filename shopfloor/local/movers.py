"""People without a tag: whatever moves by itself and no map explains is somebody.

Visitors wear no tag and batteries die. A thing the lasers see where half a second ago
they saw through has moved there; boxes do not. From then on it is given the room of a
person, also while it stands, until it has stood for so long that it is a thing.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.watching import Surroundings
from shopfloor.geometry import Pose, Scan, TagSeen
from shopfloor.grid.compiled import kernel

LOOK_BACK_S = 1.2
EVERY_S = 0.1
REACH_M = 9.0
DEEPER_M = 0.2
DEEPER_PER_M = 0.05
"""How far a beam must have passed beyond: a pose that jumps moves nothing that far."""
ASIDE_M = 0.12
"""And so far to both sides: along the face of a box a beam passes within a finger."""
NEW_RETURNS = 3
WIDEST_M = 0.9
"""Nobody is wider; doors and walls off the map are."""
SAME_M = 0.6
STANDS_FOR_S = 8.0
UNSEEN_S = 1.0
DEPTH_M = 0.12
"""Lasers see the front of a body; its middle is behind."""
SIGMA_M = 0.1


@dataclass(slots=True)
class Somebody:
    name: str
    x_m: float
    y_m: float
    seen_s: float
    moved_s: float
    vx_mps: float = 0.0
    vy_mps: float = 0.0


class Movers:
    def __init__(self) -> None:
        self._past: deque[tuple[float, Pose, tuple[Scan, ...]]] = deque()
        self._people: list[Somebody] = []
        self._count = 0

    def forget(self) -> None:
        self._past.clear()
        self._people.clear()

    def look(
        self,
        now_s: float,
        pose: Pose,
        scans: Sequence[Scan],
        around: Surroundings,
        explained: Sequence[tuple[float, float, float]],
    ) -> tuple[TagSeen, ...]:
        """Who is there; ``explained`` are discs of known people and robots."""
        if not self._past or now_s >= self._past[-1][0] + EVERY_S - 1e-9:
            while len(self._past) > 1 and self._past[1][0] <= now_s - LOOK_BACK_S:
                self._past.popleft()
            if self._past and self._past[0][0] <= now_s - 0.5 * LOOK_BACK_S:
                self._follow(now_s, pose, around, explained)
            self._past.append((now_s, pose, tuple(scans)))
        return tuple(self._seen(person, now_s) for person in self._people)

    @staticmethod
    def _seen(person: Somebody, now_s: float) -> TagSeen:
        since_s = now_s - person.seen_s
        x_m = person.x_m + person.vx_mps * since_s
        y_m = person.y_m + person.vy_mps * since_s
        return TagSeen(person.name, x_m, y_m, SIGMA_M, person.vx_mps, person.vy_mps)

    def _follow(
        self,
        now_s: float,
        pose: Pose,
        around: Surroundings,
        explained: Sequence[tuple[float, float, float]],
    ) -> None:
        points = around.points
        strange = points[(around.known == 0) & (points[:, 2] < REACH_M)]
        if len(strange) or self._people:
            self._match(now_s, pose, strange, explained)
        self._people = [
            p
            for p in self._people
            if now_s - p.seen_s < UNSEEN_S and now_s - p.moved_s < STANDS_FOR_S
        ]

    def _match(
        self,
        now_s: float,
        pose: Pose,
        strange: NDArray[np.float64],
        explained: Sequence[tuple[float, float, float]],
    ) -> None:
        new = np.zeros(len(strange), np.uint8)
        _, before, scans = self._past[0]
        here = pose.seen_from(before)
        for scan in scans:
            seen_through(
                strange,
                here.x_m,
                here.y_m,
                here.yaw_rad,
                scan.ranges_m,
                scan.angle_min_rad,
                scan.angle_step_rad,
                scan.mount.x_m,
                scan.mount.y_m,
                scan.mount.yaw_rad,
                new,
            )
        for x, y, count in clusters(strange, new):
            stretched = 1.0 + DEPTH_M / max(math.hypot(x, y), 0.1)
            at = pose.plus(Pose(x * stretched, y * stretched))
            if any(math.hypot(at.x_m - a, at.y_m - b) < r for a, b, r in explained):
                continue
            self._note(now_s, at, moved=count >= NEW_RETURNS)

    def _note(self, now_s: float, at: Pose, *, moved: bool) -> None:
        for person in self._people:
            dx, dy = at.x_m - person.x_m, at.y_m - person.y_m
            if math.hypot(dx, dy) > SAME_M:
                continue
            passed_s = now_s - person.seen_s
            if passed_s > 0.0:
                share = min(1.0, passed_s / 0.4)
                person.vx_mps += share * (dx / passed_s - person.vx_mps)
                person.vy_mps += share * (dy / passed_s - person.vy_mps)
                if not moved:
                    person.vx_mps *= 0.8
                    person.vy_mps *= 0.8
            person.x_m, person.y_m, person.seen_s = at.x_m, at.y_m, now_s
            if moved:
                person.moved_s = now_s
            return
        if moved:
            self._count += 1
            name = f"untagged{self._count}"
            self._people.append(Somebody(name, at.x_m, at.y_m, now_s, now_s))


@kernel
def seen_through(
    points: NDArray[np.float64],
    here_x: float,
    here_y: float,
    here_yaw: float,
    ranges: NDArray[np.float64],
    angle_min: float,
    angle_step: float,
    mount_x: float,
    mount_y: float,
    mount_yaw: float,
    new: NDArray[np.uint8],
) -> None:
    """Mark returns that lie where an earlier scan saw through.

    ``here_*`` is the present pose in the frame of the earlier one.
    """
    cos, sin = math.cos(here_yaw), math.sin(here_yaw)
    for i in range(points.shape[0]):
        x = here_x + cos * points[i, 0] - sin * points[i, 1] - mount_x
        y = here_y + sin * points[i, 0] + cos * points[i, 1] - mount_y
        away = math.sqrt(x * x + y * y)
        angle = math.atan2(y, x) - mount_yaw - angle_min
        angle -= math.tau * math.floor(angle / math.tau)
        beam = int(np.round(angle / angle_step))
        beside = int(ASIDE_M / (max(away, 0.2) * angle_step)) + 1
        if beam < beside or beam >= ranges.size - beside:
            continue
        least = math.inf
        for k in range(beam - beside, beam + beside + 1):
            least = min(least, ranges[k])
        if math.isfinite(least) and least > away + DEEPER_M + DEEPER_PER_M * away:
            new[i] = 1


def clusters(
    points: NDArray[np.float64], new: NDArray[np.uint8]
) -> list[tuple[float, float, int]]:
    """Middle and number of new returns of every group that may be a person."""
    found: list[tuple[float, float, int]] = []
    if len(points) == 0:
        return found
    steps = np.hypot(*np.diff(points[:, :2], axis=0).T)
    ends = [0, *(np.flatnonzero(steps > 0.3) + 1).tolist(), len(points)]
    for first, last in itertools.pairwise(ends):
        part = points[first:last, :2]
        wide = float(np.hypot(*np.ptp(part, axis=0)))
        if last - first >= NEW_RETURNS and wide <= WIDEST_M:
            x, y = part.mean(axis=0).tolist()
            found.append((x, y, int(new[first:last].sum())))
    return found
