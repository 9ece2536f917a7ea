"""A binary heap in two arrays, ordered by key and then by cell.

The second order makes equal keys come out in one way only, which is what makes a
planner repeatable and comparable with its textbook form.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel


@kernel
def push(
    keys: NDArray[np.float64],
    items: NDArray[np.int32],
    size: int,
    key: float,
    item: int,
) -> int:
    """The arrays must have room; returns the new size."""
    hole = size
    while hole > 0:
        above = (hole - 1) >> 1
        top = keys[above]
        if top < key or (top == key and items[above] <= item):
            break
        keys[hole] = top
        items[hole] = items[above]
        hole = above
    keys[hole] = key
    items[hole] = item
    return size + 1


@kernel
def drop_top(keys: NDArray[np.float64], items: NDArray[np.int32], size: int) -> int:
    """Read the top before; returns the new size.

    Which child is smaller is as good as random, so it is computed, not branched on.
    """
    size -= 1
    key = keys[size]
    item = items[size]
    hole = 0
    below = 1
    while below < size:
        if below + 1 < size:
            left = keys[below]
            right = keys[below + 1]
            tie = (right == left) & (items[below + 1] < items[below])
            below += int((right < left) | tie)
        top = keys[below]
        if key < top or (key == top and item <= items[below]):
            break
        keys[hole] = top
        items[hole] = items[below]
        hole = below
        below = 2 * hole + 1
    keys[hole] = key
    items[hole] = item
    return size


@kernel
def doubled(
    keys: NDArray[np.float64], items: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    more_keys = np.empty(2 * keys.size, np.float64)
    more_items = np.empty(2 * items.size, np.int32)
    more_keys[: keys.size] = keys
    more_items[: items.size] = items
    return more_keys, more_items
