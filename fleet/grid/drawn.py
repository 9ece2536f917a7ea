"""A warehouse drawn from numbers: for where no map is at hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def draw_warehouse(
    shelf_columns: int = 10,
    shelf_rows: int = 20,
    shelf_length: int = 10,
    shelf_depth: int = 2,
    aisle: int = 1,
    margin: int = 25,
) -> NDArray[np.bool_]:
    """``blocked[row, column]``: a wall around, shelves with aisles, room at both ends.

    The numbers of the benchmark map warehouse-10-20-10-2-1 are the defaults: 161 by 63
    cells, 5,699 of them free.
    """
    width = 2 + 2 * margin + shelf_columns * (shelf_length + aisle) - aisle
    height = 2 + shelf_rows * (shelf_depth + aisle) + aisle
    blocked = np.ones((height, width), np.bool_)
    blocked[1:-1, 1:-1] = False
    for row in range(shelf_rows):
        top = 1 + aisle + row * (shelf_depth + aisle)
        for column in range(shelf_columns):
            left = 1 + margin + column * (shelf_length + aisle)
            blocked[top : top + shelf_depth, left : left + shelf_length] = True
    return blocked
