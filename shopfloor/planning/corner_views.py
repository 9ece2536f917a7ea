"""Which corners may be seen from where: a list for every tile of the map.

A search tries its first and last hop with corners it can see. Trying them all, nine
of ten looks end at a wall; so the light of every corner is followed over the map
once, and each tile of cells keeps the corners whose light falls on it. The lists may
name a corner too many, never one too few: what they say is looked at again.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel
from shopfloor.grid.occupancy import Grid

LEAST_BITS = 4
"""A tile's side is a cell doubled so often: 16 cells, more on a large map."""
MAX_TILES = 4_096
"""Smaller tiles would name fewer corners too many, but need more memory."""
LENIENT = 1e-9
"""Light passes obstacles by so much too near, far above what rounding can take."""
BEAMS = 512
"""Beams kept apart in one direction; beyond, two become one with what is between."""
PATIENCE = 6_000
"""Beams followed over one line each, per direction. On a vast map full of posts a
corner's light is given up after so many, and every tile may see the corner."""


def tile_bits(grid: Grid) -> int:
    bits = LEAST_BITS
    while ((grid.width >> bits) + 1) * ((grid.height >> bits) + 1) > MAX_TILES:
        bits += 1
    return bits


@kernel
def list_views(
    run_x: NDArray[np.int32],
    run_y: NDArray[np.int32],
    stride: int,
    node: NDArray[np.float64],
    out: NDArray[np.float64],
    bits: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where each tile's list begins, and the corners in it, in rising order."""
    rows = run_x.size // stride
    across = (stride >> bits) + 1
    tiles = across * ((rows >> bits) + 1)
    lit = np.full(tiles, -1, np.int32)
    beams = np.empty((2, BEAMS, 2), np.float64)
    capacity = 64 * node.shape[1] + 64
    lit_tile = np.empty(capacity, np.int32)
    found = 0
    found_of = np.zeros(node.shape[1] + 1, np.int64)
    begins = np.zeros(tiles + 1, np.int32)
    for v in range(node.shape[1]):
        x = node[0, v]
        y = node[1, v]
        followed = True
        for way in (1, -1):
            followed &= _shine(
                run_x,
                stride,
                1,
                rows,
                stride,
                x,
                y,
                way,
                across,
                1,
                bits,
                v,
                lit,
                beams,
            )
            followed &= _shine(
                run_y,
                1,
                stride,
                stride,
                rows,
                y,
                x,
                way,
                1,
                across,
                bits,
                v,
                lit,
                beams,
            )
        for tile in range(tiles):
            if followed and lit[tile] != v:
                continue
            if _all_beyond(tile, across, bits, x, y, out[0, v], out[1, v]):
                continue
            if found == capacity:
                more = np.empty(2 * capacity, np.int32)
                more[:capacity] = lit_tile
                lit_tile = more
                capacity *= 2
            lit_tile[found] = tile
            found += 1
            begins[tile + 1] += 1
        found_of[v + 1] = found
    for tile in range(tiles):
        begins[tile + 1] += begins[tile]
    filled = begins[:-1].copy()
    seen = np.empty(found, np.int32)
    for v in range(node.shape[1]):
        for i in range(found_of[v], found_of[v + 1]):
            tile = lit_tile[i]
            seen[filled[tile]] = v
            filled[tile] += 1
    return begins, seen


@kernel
def _all_beyond(
    tile: int, across: int, bits: int, x: float, y: float, out_x: float, out_y: float
) -> bool:
    """Is the whole tile where a path has no reason to bend at this corner."""
    side = 1 << bits
    left = (tile % across) * side
    low = (tile // across) * side
    beyond_x = left > x if out_x > 0.0 else left + side < x
    beyond_y = low > y if out_y > 0.0 else low + side < y
    return beyond_x and beyond_y


@kernel
def _shine(
    run: NDArray[np.int32],
    next_line: int,
    next_cell: int,
    lines: int,
    cells: int,
    u: float,
    v: float,
    way: int,
    tile_line: int,
    tile_cell: int,
    bits: int,
    mark: int,
    lit: NDArray[np.int32],
    beams: NDArray[np.float64],
) -> bool:
    """Mark the tiles lit from (u, v) within 45 degrees of one direction across lines.

    A beam is a range of slopes, cells gained per line, that no obstacle has stopped
    so far. Every line of cells takes from each beam what its blocked cells stop.
    False if there was too much to follow.
    """
    now = 0
    beams[0, 0, 0] = -1.0 - LENIENT
    beams[0, 0, 1] = 1.0 + LENIENT
    count = 1
    patience = PATIENCE
    line = int(v)
    near = 0.0
    far = line + 1 - v if way > 0 else v - line
    while count > 0 and 0 <= line < lines:
        kept = 0
        patience -= count
        if patience < 0:
            return False
        for k in range(count):
            a = beams[now, k, 0]
            b = beams[now, k, 1]
            first = max(int(u + min(a * near, a * far) - LENIENT), 0)
            last = min(int(u + max(b * near, b * far) + LENIENT), cells - 1)
            tiles = (line >> bits) * tile_line
            for tile in range(first >> bits, (last >> bits) + 1):
                lit[tiles + tile * tile_cell] = mark
            c = first
            while a < b and c <= last:
                free = run[line * next_line + c * next_cell]
                if free > 0:
                    c += free
                    continue
                left = c - u
                while c <= last and run[line * next_line + c * next_cell] == 0:
                    c += 1
                right = c - u
                if near > 0.0:
                    least = left / (far if left >= 0.0 else near)
                    most = right / (near if right >= 0.0 else far)
                else:
                    least = left / far if left >= 0.0 else -np.inf
                    most = np.inf if right >= 0.0 else right / far
                least += LENIENT
                most -= LENIENT
                if least >= most:
                    continue
                if least > a:
                    kept = _keep(beams[1 - now], kept, a, min(least, b))
                a = max(a, most)
            if a < b:
                kept = _keep(beams[1 - now], kept, a, b)
        now = 1 - now
        count = kept
        line += way
        near = far
        far += 1.0
    return True


@kernel
def _keep(beams: NDArray[np.float64], kept: int, a: float, b: float) -> int:
    if kept == BEAMS:
        beams[kept - 1, 1] = b
        return kept
    beams[kept, 0] = a
    beams[kept, 1] = b
    return kept + 1
