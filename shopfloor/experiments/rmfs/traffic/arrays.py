"""Every array that the traffic kernels read and write, and what its columns mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Columns of ``whole``: what is known of each robot as a whole number.
FROM_CELL, FRONT, HEADING, PHASE, GOAL, ROW = 0, 1, 2, 3, 4, 5
LOADED, WANT, LENGTH, LEFT_CELLS, TAIL, ASIDE, LIFT = 6, 7, 8, 9, 10, 11, 12
WHOLES = 13
IDLE, DECIDING, TURNING, DRIVING, WAITING, LIFTED, BUSY = 0, 1, 2, 3, 4, 5, 6
NONE, ARRIVED, READY, RECORD_FULL, LOST, BARRED = 0, 1, 2, 3, 4, 5
# Columns of ``counts``.
EVENTS, DEADLOCKS, RECORDED, ASIDES, TUNNELS, LIFTS, TURNS = range(7)
COUNTS = 7
FAR = 65535
STORAGE = 1
FAR_RULE, PIBT, SIMPLE, PLANNED = 0, 1, 2, 3
PIECE = 9
"""Robot, start, end, tier, x, y at the start, heading, speed, acceleration."""
PIECES_AT_ONCE = 4
LONG_S = 1e7
"""Longer than any run: who comes first by plan goes first, however long others wait."""
ARRIVAL_S = 1e-6
"""The piece that says on which tier a lift has left a robot."""


class Traffic(NamedTuple):
    """Every array of the kernel."""

    out: NDArray[np.int32]
    into: NDArray[np.int32]
    kind: NDArray[np.int8]
    spots: NDArray[np.int32]
    lift: NDArray[np.int32]
    lift_of: NDArray[np.int32]
    lift_s: NDArray[np.float64]
    lift_user: NDArray[np.int32]
    zone: NDArray[np.int32]
    behind: NDArray[np.int32]
    following: NDArray[np.int32]
    shortcut: NDArray[np.int32]
    chain: NDArray[np.int32]
    tunnel: NDArray[np.int32]
    tunnel_length: NDArray[np.int32]
    table: NDArray[np.uint16]
    owner: NDArray[np.int32]
    owned_at: NDArray[np.float64]
    visits: NDArray[np.int64]
    held_s: NDArray[np.float64]
    whole: NDArray[np.int32]
    real: NDArray[np.float64]
    due: NDArray[np.float64]
    limits: NDArray[np.float64]
    counts: NDArray[np.int64]
    record: NDArray[np.float64]
    plan: NDArray[np.int32]
    """Cells of each robot, step by step; -1: nothing is planned."""
    outside: NDArray[np.uint8]
    """1: it really drives elsewhere; ``reached`` says when it is there."""
