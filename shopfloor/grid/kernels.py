"""Array work behind a grid: distances, runs of free cells, connected parts.

Maps are ``(height, width)`` arrays of bytes, 0 free and 1 blocked. Flat arrays are
padded by one blocked ring, so that no kernel ever asks whether it left the map.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

FAR = 1 << 29
"""Squared distance of a cell on a map without a single blocked cell, in cells."""


@kernel
def pad(blocked: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = blocked.shape
    stride = width + 2
    flat = np.ones((height + 2) * stride, np.uint8)
    for row in range(height):
        base = (row + 1) * stride + 1
        for column in range(width):
            if blocked[row, column] == 0:
                flat[base + column] = 0
    return flat


@kernel
def runs(
    flat: NDArray[np.uint8], stride: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """How many free cells follow each cell, itself included, towards +x and +y."""
    size = flat.size
    run_x = np.zeros(size, np.int32)
    run_y = np.zeros(size, np.int32)
    for cell in range(size - stride - 2, stride, -1):
        if flat[cell] == 0:
            run_x[cell] = run_x[cell + 1] + 1
            run_y[cell] = run_y[cell + stride] + 1
    return run_x, run_y


@kernel
def squared_distances(blocked: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Exact squared distance, in cells, to the nearest blocked cell centre.

    Distances along columns first, then the lower envelope of the parabolas in each
    row; all integers, so nothing is rounded.
    """
    height, width = blocked.shape
    reach = height + width
    along = np.empty((height, width), np.int32)
    for column in range(width):
        distance = reach
        for row in range(height):
            distance = 0 if blocked[row, column] != 0 else min(distance + 1, reach)
            along[row, column] = distance
        distance = reach
        for row in range(height - 1, -1, -1):
            distance = 0 if blocked[row, column] != 0 else min(distance + 1, reach)
            along[row, column] = min(along[row, column], distance)
    result = np.empty((height, width), np.int32)
    apex = np.empty(width, np.int64)
    begins = np.empty(width, np.int64)
    for row in range(height):
        last = -1
        for column in range(width):
            own = np.int64(along[row, column])
            if own >= reach:
                continue
            start = np.int64(0)
            while last >= 0:
                other = apex[last]
                high = np.int64(along[row, other])
                # The first column where this parabola is lower than the last one.
                above = column * column - other * other + own * own - high * high
                start = above // (2 * (column - other)) + 1
                if start > begins[last]:
                    break
                last -= 1
                start = np.int64(0)
            if start < width:
                last += 1
                apex[last] = column
                begins[last] = start
        if last < 0:
            result[row, :] = FAR
            continue
        for column in range(width - 1, -1, -1):
            while begins[last] > column:
                last -= 1
            gap = column - apex[last]
            high = np.int64(along[row, apex[last]])
            result[row, column] = gap * gap + high * high
    return result


@kernel
def grown_by_one(blocked: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Every cell that touches a blocked one, corners included."""
    height, width = blocked.shape
    grown = np.zeros((height, width), np.uint8)
    for row in range(height):
        for column in range(width):
            if blocked[row, column] == 0:
                continue
            for r in range(max(row - 1, 0), min(row + 2, height)):
                for c in range(max(column - 1, 0), min(column + 2, width)):
                    grown[r, c] = 1
    return grown


@kernel
def parts(run_x: NDArray[np.int32], stride: int) -> NDArray[np.int32]:
    """A number per connected part of the free cells, 0 where blocked.

    Neighbours share a side: corners are never cut, so a diagonal step leads nowhere
    that two straight ones do not.
    """
    size = run_x.size
    label = np.zeros(size, np.int32)
    stack = np.empty(size, np.int32)
    count = 0
    for seed in range(size):
        if run_x[seed] == 0 or label[seed] != 0:
            continue
        count += 1
        label[seed] = count
        stack[0] = seed
        depth = 1
        while depth > 0:
            depth -= 1
            cell = stack[depth]
            for step in (-1, 1, -stride, stride):
                other = cell + step
                if run_x[other] > 0 and label[other] == 0:
                    label[other] = count
                    stack[depth] = other
                    depth += 1
    return label
