"""Whether a command leaves room to stop, whichever planner gave it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.maneuvers.scene import gap_then
from shopfloor.vehicles.motion import advance

STEP_S = 0.05
LONGEST_S = 4.0


@kernel
def stops_in_time(
    state: NDArray[np.float64],
    speed: float,
    steering: float,
    for_s: float,
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    margin: float,
) -> bool:
    """Obey for a while, then brake: whether nothing comes nearer than the margin.

    Where something is nearer already, it must not come nearer still.
    """
    x, y, yaw, v, phi = state[0], state[1], state[2], state[3], state[4]
    limit = min(margin, 0.9 * gap_then(x, y, yaw, 0.0, outline, walls, discs, 1.0))
    at = 0.0
    while at < LONGEST_S:
        wanted = speed if at < for_s else 0.0
        x, y, yaw, v, phi = advance(
            x, y, yaw, v, phi, wanted, steering, STEP_S, numbers
        )
        at += STEP_S
        if gap_then(x, y, yaw, at, outline, walls, discs, 1.0) < limit:
            return False
        if at >= for_s and v == 0.0:
            break
    return not math.isnan(x)
