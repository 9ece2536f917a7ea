"""Notices that a robot does not come nearer.

Neither an emergency stop nor a blocked aisle ends a goal: it stays active for
ever. So the distance is watched; not shrinking for ``progress_s`` is reported as
blocked, which a person sees, and the command stays open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from robot_bridge.profiles import Limits

TELL_EVERY_S = 1.0


@dataclass(slots=True)
class ProgressWatch:
    limits: Limits
    since: float
    path_left_m: float | None = None
    best_m: float = math.inf
    best_path_m: float = math.inf
    blocked: bool = False
    told_at: float = -math.inf

    def restart(self, now_s: float) -> None:
        self.since = now_s
        self.best_m = math.inf
        self.best_path_m = math.inf

    def look(self, now_s: float, distance_m: float | None) -> bool:
        """True when there is something to tell."""
        nearer = False
        if distance_m is not None and distance_m < self.best_m - self.limits.progress_m:
            self.best_m = distance_m
            nearer = True
        path_m = self.path_left_m
        # Zero is what Nav2 sends before it has planned.
        if path_m and path_m < self.best_path_m - self.limits.progress_m:
            self.best_path_m = path_m
            nearer = True
        before = self.blocked
        if nearer:
            self.since = now_s
            self.blocked = False
        elif now_s - self.since >= self.limits.progress_s:
            self.blocked = True
        return self.blocked != before or now_s - self.told_at >= TELL_EVERY_S
