"""A person who wanders through a hall: the same walk for tests, benches and trials."""

import math
import random
from collections.abc import Iterator

from shopfloor.tracking.estimate import Bounds

MARGIN_M = 1.0
NEAR_M = 0.3
SLOWEST_MPS, FASTEST_MPS = 0.7, 1.5
PAUSES_S = (0.0, 0.0, 2.0)
# How long a person takes to change speed or direction.
REACTION_S = 0.3


def wander(
    hall: Bounds, duration_s: float, step_s: float, seed: int
) -> Iterator[tuple[float, float, float]]:
    """Time, x and y of somebody who goes from place to place and sometimes stands."""
    rng = random.Random(seed)  # noqa: S311

    def place() -> tuple[float, float]:
        return (
            rng.uniform(hall.min_x_m + MARGIN_M, hall.max_x_m - MARGIN_M),
            rng.uniform(hall.min_y_m + MARGIN_M, hall.max_y_m - MARGIN_M),
        )

    x, y = goal_x, goal_y = place()
    vx = vy = pause_s = speed_mps = 0.0
    for step in range(round(duration_s / step_s)):
        if math.hypot(goal_x - x, goal_y - y) < NEAR_M:
            goal_x, goal_y = place()
            pause_s = rng.choice(PAUSES_S)
            speed_mps = rng.uniform(SLOWEST_MPS, FASTEST_MPS)
        bearing = math.atan2(goal_y - y, goal_x - x)
        wanted_mps = 0.0 if pause_s > 0.0 else speed_mps
        pause_s -= step_s
        react = min(1.0, step_s / REACTION_S)
        vx += react * (wanted_mps * math.cos(bearing) - vx)
        vy += react * (wanted_mps * math.sin(bearing) - vy)
        x += vx * step_s
        y += vy * step_s
        yield step * step_s, x, y
