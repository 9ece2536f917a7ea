"""The current path of an agent, and how far it is along it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from shopfloor.geometry import Pose

SAMPLE_M = 0.1


@dataclass(frozen=True)
class Waypoint:
    """``sub_goal``: something is done there, so no detour leaves it out."""

    x_m: float
    y_m: float
    sub_goal: bool = False


def samples(pose: Pose, path: Sequence[Waypoint]) -> list[tuple[float, float, int]]:
    """Points along the path up to its first sub-goal; which waypoint each leads to."""
    found: list[tuple[float, float, int]] = []
    x, y = pose.x_m, pose.y_m
    for index, point in enumerate(path):
        length_m = math.hypot(point.x_m - x, point.y_m - y)
        count = max(1, math.ceil(length_m / SAMPLE_M))
        for step in range(1, count + 1):
            share = step / count
            found.append(
                (x + share * (point.x_m - x), y + share * (point.y_m - y), index)
            )
        x, y = point.x_m, point.y_m
        if point.sub_goal:
            break
    return found
