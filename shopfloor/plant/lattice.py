"""The floor as cells that robots of the warehouse kind drive on, four ways only.

Ways between cells are searched by the A* of the planners. It knows diagonals, so it
gets a map twice as fine in which a diagonal always cuts a corner: every other cell is
a way between two cells, and what lies between four of them is blocked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid import Grid
from shopfloor.planning import Status, plan
from shopfloor.sim.world import WorldRefused

Cell = tuple[int, int]
"""Column and row."""
Way = frozenset[Cell]
"""Two cells side by side."""
AHEAD: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""By quarter turns from the x axis."""


class Traffic:
    """Who holds which cell: nobody enters a cell that another robot holds."""

    def __init__(self) -> None:
        self.cell_m: float | None = None
        self._held: dict[Cell, str] = {}
        self._joined = 0

    def join(self, name: str, cell_m: float, cell: Cell) -> int:
        """How many joined before."""
        if self.cell_m is not None and self.cell_m != cell_m:
            raise WorldRefused(
                f"robot {name} has cells of {cell_m:g} m, others {self.cell_m:g} m"
            )
        self.cell_m = cell_m
        if not self.take(name, cell):
            raise WorldRefused(f"robots {self._held[cell]} and {name} share a cell")
        self._joined += 1
        return self._joined - 1

    def take(self, name: str, cell: Cell) -> bool:
        return self._held.setdefault(cell, name) == name

    def leave(self, name: str, cell: Cell) -> None:
        if self._held.get(cell) == name:
            del self._held[cell]

    def held_by_others(self, name: str) -> set[Cell]:
        return {cell for cell, holder in self._held.items() if holder != name}


class Lattice:
    def __init__(self, grid: Grid, cell_m: float, room_m: float) -> None:
        """``room_m`` from the middle of a robot to anything mapped."""
        if cell_m < grid.resolution_m:
            raise WorldRefused(f"cells of {cell_m:g} m are finer than the map")
        self.cell_m = cell_m
        self.left_m, self.low_m, _ = grid.origin
        self.columns = int(grid.width * grid.resolution_m / cell_m + 1e-9)
        self.rows = int(grid.height * grid.resolution_m / cell_m + 1e-9)
        if self.columns < 1 or self.rows < 1:
            raise WorldRefused(f"the map has no room for a cell of {cell_m:g} m")
        self._ways = self._free_ways(grid.inflated(room_m))

    def _free_ways(self, roomy: Grid) -> NDArray[np.bool_]:
        """Twice as fine: cells at even places, ways between them at odd ones."""
        free = np.zeros((2 * self.rows - 1, 2 * self.columns - 1), np.bool_)
        half = 0.5 * self.cell_m
        reach = np.linspace(-half, half, 2 * int(self.cell_m / roomy.resolution_m) + 3)
        y, x = np.indices(free.shape).astype(np.float64)
        x_m = self.left_m + half * (x + 1)
        y_m = self.low_m + half * (y + 1)
        here = _is_free(roomy, x_m, y_m)
        aside = np.ones_like(here)
        upward = np.ones_like(here)
        for step in reach:
            aside &= _is_free(roomy, x_m + step, y_m)
            upward &= _is_free(roomy, x_m, y_m + step)
        free[::2, ::2] = here[::2, ::2]
        free[::2, 1::2] = aside[::2, 1::2]
        free[1::2, ::2] = upward[1::2, ::2]
        return free

    def cell_of(self, x_m: float, y_m: float) -> Cell | None:
        column = int((x_m - self.left_m) // self.cell_m)
        row = int((y_m - self.low_m) // self.cell_m)
        if 0 <= column < self.columns and 0 <= row < self.rows:
            return column, row
        return None

    def middle(self, cell: Cell) -> tuple[float, float]:
        return (
            self.left_m + (cell[0] + 0.5) * self.cell_m,
            self.low_m + (cell[1] + 0.5) * self.cell_m,
        )

    def is_free(self, cell: Cell) -> bool:
        return bool(self._ways[2 * cell[1], 2 * cell[0]])

    def find(
        self,
        start: Cell,
        goal: Cell,
        closed: Iterable[Way] = (),
        taken: Iterable[Cell] = (),
    ) -> list[Cell] | None:
        """A shortest way from cell to cell with few turns, both ends included."""
        free = self._ways.copy()
        for one, other in closed:
            free[one[1] + other[1], one[0] + other[0]] = False
        for column, row in taken:
            free[2 * row, 2 * column] = False
        free[2 * start[1], 2 * start[0]] = True
        ends = [(2 * c + 0.5, 2 * r + 0.5) for c, r in (start, goal)]
        path = plan(Grid.of(~free), ends[0], ends[1], "a_star")
        if path.status is not Status.OK:
            return None
        bends = [(int(x) // 2, int(y) // 2) for x, y in path.xy]
        return _with_few_turns(_every_cell(bends), free)


def _is_free(
    grid: Grid, x_m: NDArray[np.float64], y_m: NDArray[np.float64]
) -> NDArray[np.bool_]:
    left, low, _ = grid.origin
    x = np.floor((x_m - left) / grid.resolution_m + 1e-9).astype(int)
    y = np.floor((y_m - low) / grid.resolution_m + 1e-9).astype(int)
    inside = (x >= 0) & (x < grid.width) & (y >= 0) & (y < grid.height)
    cells = grid.cells[y.clip(0, grid.height - 1), x.clip(0, grid.width - 1)]
    return np.asarray(inside & (cells == 0))


def _every_cell(bends: Sequence[Cell]) -> list[Cell]:
    cells = [bends[0]]
    for (x0, y0), (x1, y1) in pairwise(bends):
        count = abs(x1 - x0) + abs(y1 - y0)
        for i in range(1, count + 1):
            cells.append((x0 + (x1 - x0) * i // count, y0 + (y1 - y0) * i // count))
    return cells


def _with_few_turns(cells: list[Cell], free: NDArray[np.bool_]) -> list[Cell]:
    """Every turn costs a stop, so stairs become one corner where there is room."""
    found, i = [cells[0]], 0
    while i < len(cells) - 1:
        for j in range(len(cells) - 1, i, -1):
            piece = _one_corner(cells[i], cells[j], j - i, free)
            if piece is not None:
                break
        else:
            piece, j = [cells[i], cells[i + 1]], i + 1
        found += piece[1:]
        i = j
    return found


def _one_corner(
    start: Cell, end: Cell, length: int, free: NDArray[np.bool_]
) -> list[Cell] | None:
    if abs(end[0] - start[0]) + abs(end[1] - start[1]) != length:
        return None
    for corner in ((end[0], start[1]), (start[0], end[1])):
        piece = _every_cell([start, corner, end])
        ways = [(a[1] + b[1], a[0] + b[0]) for a, b in pairwise(piece)]
        cells = [(2 * row, 2 * column) for column, row in piece]
        if all(free[place] for place in (*ways, *cells)):
            return piece
    return None
