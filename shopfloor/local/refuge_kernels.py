"""Array work of making way: where a robot can stand without closing the floor."""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel


@kernel
def _flood(
    cells: NDArray[np.uint8],
    column: int,
    row: int,
    disc_c: int,
    disc_r: int,
    reach: float,
    steps: NDArray[np.int32],
    order: NDArray[np.int32],
) -> int:
    """Steps to every free cell outside a disc, -1 where none lead; how many."""
    height, width = cells.shape
    steps[:] = -1
    order[0] = row * width + column
    steps[order[0]] = 0
    head, size = 0, 1
    square = reach * reach
    while head < size:
        at = order[head]
        head += 1
        r, c = at // width, at % width
        for k in range(4):
            nr = r + (1 if k == 0 else -1 if k == 1 else 0)
            nc = c + (1 if k == 2 else -1 if k == 3 else 0)
            if nr < 0 or nc < 0 or nr >= height or nc >= width:
                continue
            to = nr * width + nc
            if cells[nr, nc] != 0 or steps[to] >= 0:
                continue
            if (nr - disc_r) ** 2 + (nc - disc_c) ** 2 < square:
                continue
            steps[to] = steps[at] + 1
            order[size] = to
            size += 1
    return size


@kernel
def out_of_the_way(
    cells: NDArray[np.uint8],
    column: int,
    row: int,
    peer_c: int,
    peer_r: int,
    hulls: float,
    apart: float,
    every: int,
    whole: float,
) -> tuple[int, int]:
    """The nearest cell where a robot leaves the floor in one piece, or -1, -1."""
    height, width = cells.shape
    steps = np.empty(height * width, np.int32)
    order = np.empty(height * width, np.int32)
    other_steps = np.empty(height * width, np.int32)
    other_order = np.empty(height * width, np.int32)
    count = _flood(cells, column, row, peer_c, peer_r, hulls, steps, order)
    total = _flood(cells, peer_c, peer_r, peer_c, peer_r, 0.0, other_steps, other_order)
    for i in range(count):
        at = order[i]
        r, c = at // width, at % width
        if r % every != 0 or c % every != 0:
            continue
        if (r - peer_r) ** 2 + (c - peer_c) ** 2 < apart * apart:
            continue
        covered = 0
        reach = int(apart) + 1
        for dr in range(max(r - reach, 0), min(r + reach + 1, height)):
            for dc in range(max(c - reach, 0), min(c + reach + 1, width)):
                inside = (dr - r) ** 2 + (dc - c) ** 2 < apart * apart
                if inside and cells[dr, dc] == 0:
                    covered += 1
        left = _flood(cells, peer_c, peer_r, c, r, apart, other_steps, other_order)
        if left >= whole * (total - covered):
            return c, r
    return -1, -1
