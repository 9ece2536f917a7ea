"""How a robot turns on the spot.

The final yaw is computed once. The turn begins with a high angular velocity, which is
then reduced; more than a tenth of a degree off it turns back or on, whichever is
needed, until it is within a hundredth. Whatever disturbs it, a turn ends: after so many
iterations for each quarter.
"""

from __future__ import annotations

import math

from shopfloor.warehouse.things import Turn

FINE_DEG = 0.01
COARSE_DEG = 0.1
SLOWEST_DPS = 2.0
"""Farther off than the coarse angle."""
GAIN_PER_S = 10.0
MOST_ITERATIONS = 200
"""For a quarter."""
HEADINGS = {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}


def turn_of(yaw_deg: float, quarters: int) -> Turn:
    """From the quarter that is next to the present yaw."""
    square_deg = 90.0 * round(yaw_deg / 90.0)
    final_deg = square_deg + 90.0 * quarters
    return Turn(quarters, final_deg, MOST_ITERATIONS * abs(quarters))


def quarters_to(yaw_deg: float, heading_deg: float) -> int:
    """The shorter way round; half a turn goes anticlockwise."""
    quarters = round(wrapped_deg(heading_deg - yaw_deg) / 90.0)
    return 2 if quarters == -2 else quarters


def wrapped_deg(angle_deg: float) -> float:
    return math.remainder(angle_deg, 360.0)


def rate_dps(off_deg: float, first_dps: float, began: bool) -> float:
    """The angular velocity for the next iteration, with its sign."""
    size = first_dps
    if began:
        size = min(first_dps, GAIN_PER_S * abs(off_deg))
        if abs(off_deg) > COARSE_DEG:
            size = max(size, SLOWEST_DPS)
    return math.copysign(size, off_deg)
