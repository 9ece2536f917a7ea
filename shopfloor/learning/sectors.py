"""What a policy is told: the laser in few sectors, its own motion, two points ahead.

A sector holds the least room beyond the hull in its direction, so that a policy need
not know the shape of its vehicle. Everything lies between -1 and 1. The task for
learning and the planner that drives both call ``observe``; they cannot differ.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.lasers.shape_kernels import sweep_shapes

SECTORS = 36
BEAMS_A_SECTOR = 5
BEAMS = SECTORS * BEAMS_A_SECTOR
HALF_WAY_M = 0.5
"""So much room is told as 0.5; none as 0, endless room as 1."""
NEAR_POSES, FAR_POSES = 8, 20
"""How far ahead on the way its two points lie, in poses of 0.1 m."""
FAR_M = 3.0
OWN = 6
"""Speed, steering, and x and y of both points in the frame of the vehicle."""


def hull_m(
    outline: NDArray[np.float64], laser_m: tuple[float, float], beams: int = BEAMS
) -> NDArray[np.float64]:
    """From the laser to the hull along each beam, the first one pointing back."""
    angles = -math.pi + np.arange(beams) * (math.tau / beams)
    back, front, half = outline
    x, y = laser_m
    with np.errstate(divide="ignore"):
        ahead = np.where(np.cos(angles) > 0.0, front - x, back - x) / np.cos(angles)
        aside = np.where(np.sin(angles) > 0.0, half - y, -half - y) / np.sin(angles)
    return np.asarray(np.minimum(np.abs(ahead), np.abs(aside)), np.float64)


@kernel
def told_room(ranges: NDArray[np.float64], hull: NDArray[np.float64]) -> None:
    """Room beyond the hull between 0 and 1, in place."""
    for beam in range(ranges.size):
        room = max(ranges[beam] - hull[beam], 0.0)
        ranges[beam] = room / (room + HALF_WAY_M) if room < 1e6 else 1.0


@kernel
def into_sectors(told: NDArray[np.float64], seen: NDArray[np.float32]) -> None:
    """The least of each sector's beams."""
    each = told.size // SECTORS
    for sector in range(SECTORS):
        least = 1.0
        for beam in range(sector * each, (sector + 1) * each):
            least = min(least, told[beam])
        seen[sector] = least


@kernel
def own_part(
    state: NDArray[np.float64],
    way: NDArray[np.float64],
    at: int,
    last: int,
    fastest: float,
    lock: float,
    seen: NDArray[np.float32],
) -> None:
    seen[SECTORS] = min(max(state[3] / fastest, -1.0), 1.0)
    seen[SECTORS + 1] = min(max(state[4] / lock, -1.0), 1.0)
    cos, sin = math.cos(state[2]), math.sin(state[2])
    for point in range(2):
        index = min(at + (NEAR_POSES if point == 0 else FAR_POSES), last)
        dx, dy = way[index, 0] - state[0], way[index, 1] - state[1]
        ahead, aside = (cos * dx + sin * dy) / FAR_M, (cos * dy - sin * dx) / FAR_M
        seen[SECTORS + 2 + 2 * point] = min(max(ahead, -1.0), 1.0)
        seen[SECTORS + 3 + 2 * point] = min(max(aside, -1.0), 1.0)


@kernel
def observe(
    state: NDArray[np.float64],
    way: NDArray[np.float64],
    at: int,
    last: int,
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    laser_x: float,
    laser_y: float,
    hull: NDArray[np.float64],
    fastest: float,
    lock: float,
    ranges: NDArray[np.float64],
    seen: NDArray[np.float32],
) -> None:
    """Fill ``seen``; ``ranges`` is room for the beams."""
    cos, sin = math.cos(state[2]), math.sin(state[2])
    ranges[:] = math.inf
    sweep_shapes(
        walls,
        discs,
        state[0] + cos * laser_x - sin * laser_y,
        state[1] + sin * laser_x + cos * laser_y,
        state[2],
        -math.pi,
        math.tau / ranges.size,
        ranges,
    )
    told_room(ranges, hull)
    into_sectors(ranges, seen)
    own_part(state, way, at, last, fastest, lock, seen)
