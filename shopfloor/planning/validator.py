"""A second opinion on every path, by other means than the planners'.

No run table and no line of sight is used here: each blocked cell near a piece of the
path is tested as a closed square against it, by separating axes. A mistake in the
planners' tables cannot hide itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.occupancy import Grid
from shopfloor.planning.paths import Path

PIECE_CELLS = 12.0
CONTACT_CELLS = 1e-10
"""Nearer is touching; a tenth of what planners keep, well above what rounds off."""
ENDS_CELLS = 1e-5
"""How far a path may begin from where it was asked to, in cells."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a path, in words."""

    cause: str


def find_faults(
    grid: Grid,
    path: Path,
    start: tuple[float, float] | None = None,
    goal: tuple[float, float] | None = None,
) -> list[Fault]:
    """Nothing if the path may be driven on this (inflated) grid."""
    if not path.ok:
        return [] if len(path.xy) == 0 else [Fault("a failed plan has points")]
    xy = path.xy
    if xy.ndim != 2 or xy.shape[1] != 2 or len(xy) < 2:
        return [Fault("a path has two points or more")]
    if not np.isfinite(xy).all():
        return [Fault("a point is not finite")]
    faults = []
    for name, asked, found in (("start", start, xy[0]), ("goal", goal, xy[-1])):
        if asked is not None:
            away = math.dist(asked, (float(found[0]), float(found[1])))
            if away > ENDS_CELLS * grid.resolution_m:
                faults.append(Fault(f"the path misses its {name} by {away:.6f} m"))
    length = float(np.hypot(*np.diff(xy, axis=0).T).sum())
    if abs(length - path.length_m) > 1e-9 * max(1.0, length):
        faults.append(Fault(f"the path is {length} m long, not {path.length_m}"))
    touched = touched_cell(grid, xy)
    if touched is not None:
        faults.append(Fault(f"the path touches the blocked cell {touched}"))
    return faults


def touched_cell(grid: Grid, xy: NDArray[np.float64]) -> tuple[int, int] | None:
    """The first blocked cell (column, row) that a polyline in metres touches.

    Everything beyond the map is blocked; a column of -1 is left of it.
    """
    points = np.array([grid.to_cells(float(x), float(y)) for x, y in xy])
    column, row = _first_contact(
        grid.blocked, grid.stride, points, PIECE_CELLS, CONTACT_CELLS
    )
    return None if column < 0 else (int(column) - 1, int(row) - 1)


@kernel
def _first_contact(
    blocked: NDArray[np.uint8],
    stride: int,
    points: NDArray[np.float64],
    piece: float,
    near: float,
) -> tuple[int, int]:
    rows = blocked.size // stride
    for i in range(points.shape[0] - 1):
        x0 = points[i, 0]
        y0 = points[i, 1]
        dx = points[i + 1, 0] - x0
        dy = points[i + 1, 1] - y0
        count = int(max(abs(dx), abs(dy)) / piece) + 1
        for k in range(count):
            ax = x0 + dx * k / count
            ay = y0 + dy * k / count
            bx = x0 + dx * (k + 1) / count
            by = y0 + dy * (k + 1) / count
            left = max(int(min(ax, bx)) - 1, 0)
            right = min(int(max(ax, bx)) + 1, stride - 1)
            low = max(int(min(ay, by)) - 1, 0)
            high = min(int(max(ay, by)) + 1, rows - 1)
            if min(ax, bx) < 1.0 or max(ax, bx) > stride - 1.0:
                return left, low
            if min(ay, by) < 1.0 or max(ay, by) > rows - 1.0:
                return left, low
            for row in range(low, high + 1):
                if max(ay, by) < row - near or min(ay, by) > row + 1 + near:
                    continue
                for column in range(left, right + 1):
                    if not blocked[row * stride + column]:
                        continue
                    if max(ax, bx) < column - near or min(ax, bx) > column + 1 + near:
                        continue
                    cross = (bx - ax) * (row + 0.5 - ay) - (by - ay) * (
                        column + 0.5 - ax
                    )
                    if abs(cross) <= (0.5 + near) * (abs(bx - ax) + abs(by - ay)):
                        return column, row
    return -1, -1
