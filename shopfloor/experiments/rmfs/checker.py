"""Did robots touch? Looks only at the pieces of their drives, not at the planner.

The distance of two robots in a stretch of time is at least their distance in its
middle, less what both can drive in half of it. Where that does not settle it, the
stretch is halved. So no sampling step can miss a collision.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel

ROBOT, START, END, TIER, X, Y, HEADING, SPEED, RISE = range(9)
SMALLEST_S = 1e-4
DEEPEST = 64


@kernel
def place_of(piece: NDArray[np.float64], at: float) -> tuple[float, float]:
    spent = min(at, piece[END]) - piece[START]
    way = max(0.0, piece[SPEED] * spent + piece[RISE] * spent * spent / 2.0)
    x, y = piece[X], piece[Y]
    if piece[HEADING] == 0:
        x += way
    elif piece[HEADING] == 1:
        y += way
    elif piece[HEADING] == 2:
        x -= way
    else:
        y -= way
    return x, y


@kernel
def nearest(
    one: NDArray[np.float64],
    two: NDArray[np.float64],
    start: float,
    end: float,
    top: float,
    apart: float,
) -> float:
    """How near two robots come; exact where it is less than ``apart``."""
    starts, ends = np.empty(DEEPEST), np.empty(DEEPEST)
    starts[0], ends[0] = start, end
    depth = 0
    least = math.inf
    while depth >= 0:
        a, b = starts[depth], ends[depth]
        depth -= 1
        middle = (a + b) / 2.0
        x1, y1 = place_of(one, middle)
        x2, y2 = place_of(two, middle)
        distance = math.hypot(x1 - x2, y1 - y2)
        least = min(least, distance)
        if distance - top * (b - a) >= min(apart, least) or b - a < SMALLEST_S:
            continue
        if depth + 2 < DEEPEST:
            starts[depth + 1], ends[depth + 1] = a, middle
            starts[depth + 2], ends[depth + 2] = middle, b
            depth += 2
    return least


@kernel
def check(
    pieces: NDArray[np.float64],
    first: NDArray[np.int64],
    count: NDArray[np.int64],
    top: float,
    apart: float,
) -> tuple[int, float]:
    """Pairs of pieces in which robots touch, and the least distance of all.

    Pieces are sorted by robot and time; ``first`` and ``count`` are those of each
    robot. Between two pieces a robot stands where the later one begins.
    """
    robots = len(first)
    touches, least = 0, math.inf
    for a in range(robots):
        for b in range(a + 1, robots):
            i, j = first[a], first[b]
            stop_a, stop_b = first[a] + count[a], first[b] + count[b]
            while i < stop_a and j < stop_b:
                one, two = pieces[i], pieces[j]
                start = max(one[START], two[START])
                end = min(one[END], two[END])
                if end > start and one[TIER] == two[TIER]:
                    reach = apart + 2.0 * top * (end - start)
                    if (
                        abs(one[X] - two[X]) < reach + top * 30.0
                        and abs(one[Y] - two[Y]) < reach + top * 30.0
                    ):
                        found = nearest(one, two, start, end, top, apart)
                        least = min(least, found)
                        if found < apart - 1e-6:
                            touches += 1
                if one[END] <= two[END]:
                    i += 1
                else:
                    j += 1
    return touches, least


class Checker:
    """Takes the pieces of a run as they come; give it to ``Simulation(pieces=...)``."""

    def __init__(self, robots: int, radius_m: float, top_speed_mps: float) -> None:
        self._radius_m, self._top = radius_m, top_speed_mps
        self._last: list[NDArray[np.float64] | None] = [None] * robots
        self.collisions = 0
        self.jumps = 0
        """A robot went on elsewhere than it had stopped, on the same floor."""
        self.least_m = math.inf
        self.pieces = 0

    def __call__(self, pieces: NDArray[np.float64], until: float) -> None:
        if len(pieces) == 0:
            return
        self.pieces += len(pieces)
        whole, first, count = self._fill_pauses(pieces, until)
        touches, least = check(whole, first, count, self._top, 2.0 * self._radius_m)
        self.collisions += touches
        self.least_m = min(self.least_m, least)

    def _fill_pauses(
        self, pieces: NDArray[np.float64], until: float
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Also where each robot stands between its drives."""
        rows: list[NDArray[np.float64]] = []
        first, count = [], []
        order = np.lexsort((pieces[:, START], pieces[:, ROBOT]))
        pieces = pieces[order]
        bounds = np.searchsorted(pieces[:, ROBOT], np.arange(len(self._last) + 1))
        for robot, (low, high) in enumerate(pairwise(bounds)):
            mine = pieces[low:high]
            before = self._last[robot]
            first.append(sum(map(len, rows)))
            if before is not None:
                mine = np.vstack([before[None], mine])
            if len(mine) == 0:
                count.append(0)
                continue
            filled = _with_pauses(mine, until)
            self.jumps += _jumps(mine)
            rows.append(filled)
            count.append(len(filled))
            self._last[robot] = mine[-1]
        return np.vstack(rows), np.array(first), np.array(count)


def _ends(pieces: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    spent = pieces[:, END] - pieces[:, START]
    way = np.maximum(0.0, pieces[:, SPEED] * spent + pieces[:, RISE] * spent**2 / 2.0)
    heading = pieces[:, HEADING]
    x = pieces[:, X] + way * ((heading == 0) * 1.0 - (heading == 2))
    y = pieces[:, Y] + way * ((heading == 1) * 1.0 - (heading == 3))
    return x, y


def _with_pauses(pieces: NDArray[np.float64], until: float) -> NDArray[np.float64]:
    x, y = _ends(pieces)
    pauses = pieces.copy()
    pauses[:, START] = pieces[:, END]
    pauses[:-1, END] = pieces[1:, START]
    pauses[-1, END] = until
    pauses[:, X], pauses[:, Y] = x, y
    pauses[:, SPEED] = pauses[:, RISE] = 0.0
    both = np.empty((2 * len(pieces), pieces.shape[1]))
    both[0::2], both[1::2] = pieces, pauses
    kept: NDArray[np.float64] = both[both[:, END] > both[:, START]]
    return kept


def _jumps(pieces: NDArray[np.float64]) -> int:
    x, y = _ends(pieces)
    away = np.hypot(pieces[1:, X] - x[:-1], pieces[1:, Y] - y[:-1])
    same = pieces[1:, TIER] == pieces[:-1, TIER]
    return int(np.sum(same & (away > 1e-6)))
