"""Where on the global path, or beside it, a local path may end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shopfloor.local import window_kernels
from shopfloor.local.search import WindowSearch
from shopfloor.local.window import LocalWindow

EDGE_CELLS = 2
AIM_WITHIN_M = 1.6
"""How far beside the path the robot may aim where the path is blocked."""
BESIDE_M = 0.5
"""How far to the right of the path the search for such a place begins."""


def aims(
    search: WindowSearch,
    window: LocalWindow,
    path: NDArray[np.float64],
    progress: float,
    right: tuple[float, float],
    *,
    beside: bool = True,
) -> Iterator[tuple[float, float, float]]:
    """Progress and place, best first.

    If the path leaves the window where that is blocked, beside it; else at the
    farthest free point of the path.
    """
    resolution = window.resolution_m
    free_s, fx, fy, last_s, lx, ly, leaves = window_kernels.last_free_on_path(
        path, progress, resolution, window.left, window.low, search.blocked, EDGE_CELLS
    )
    if beside and leaves and last_s > free_s:
        column, row = window_kernels.nearest_free(
            search.blocked,
            (lx + BESIDE_M * right[0]) / resolution - window.left,
            (ly + BESIDE_M * right[1]) / resolution - window.low,
            AIM_WITHIN_M / resolution,
        )
        if column >= 0:
            yield (
                last_s,
                (column + window.left + 0.5) * resolution,
                (row + window.low + 0.5) * resolution,
            )
    if free_s >= 0.0:
        yield free_s, fx, fy
