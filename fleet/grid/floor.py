"""The floor that grid robots drive on: free cells, and which ones touch.

Free cells are numbered from 0 in reading order; planners speak of these numbers only.
A floor never changes. What is closed for a while is told beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.grid.errors import CellUnknown, GridRefused

Cell = tuple[int, int]
"""Column and row."""
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True, eq=False)
class Floor:
    """Build with :meth:`Floor.of`."""

    width: int
    height: int
    number: NDArray[np.int32]
    """``number[row, column]`` of a free cell, -1 in a wall."""
    columns: NDArray[np.int32]
    rows: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    """Four columns; the first ``degree`` of them count, the rest is -1."""
    degree: NDArray[np.int32]

    @staticmethod
    def of(blocked: NDArray[Any]) -> Floor:
        """From ``blocked[row, column]``, true or non-zero in a wall."""
        if blocked.ndim != 2 or blocked.size == 0:
            raise GridRefused(f"a floor has rows and columns, not {blocked.shape}")
        height, width = blocked.shape
        rows, columns = np.nonzero(np.asarray(blocked) == 0)
        count = len(rows)
        if count == 0:
            raise GridRefused("the floor has no free cell")
        padded = np.full((height + 2, width + 2), -1, np.int32)
        padded[rows + 1, columns + 1] = np.arange(count, dtype=np.int32)
        beside = np.stack(
            [padded[rows + 1 + dy, columns + 1 + dx] for dx, dy in STEPS], axis=1
        )
        walls_last = np.argsort(beside < 0, axis=1, kind="stable")
        neighbours = np.take_along_axis(beside, walls_last, axis=1)
        tables = (
            np.ascontiguousarray(padded[1:-1, 1:-1]),
            columns.astype(np.int32),
            rows.astype(np.int32),
            np.ascontiguousarray(neighbours),
            (beside >= 0).sum(axis=1).astype(np.int32),
        )
        for table in tables:
            table.flags.writeable = False
        return Floor(width, height, *tables)

    @staticmethod
    def drawn(*lines: str) -> Floor:
        """From text, a line a row: ``.`` is free, anything else a wall."""
        return Floor.of(np.array([[sign != "." for sign in line] for line in lines]))

    @property
    def count(self) -> int:
        """Of free cells."""
        return len(self.degree)

    def number_of(self, cell: Cell) -> int:
        column, row = cell
        if not (0 <= column < self.width and 0 <= row < self.height):
            raise CellUnknown(
                f"cell ({column}, {row}) is outside the floor of "
                f"{self.width} by {self.height} cells"
            )
        number = int(self.number[row, column])
        if number < 0:
            raise CellUnknown(f"cell ({column}, {row}) is a wall")
        return number

    def cell_of(self, number: int) -> Cell:
        return int(self.columns[number]), int(self.rows[number])
