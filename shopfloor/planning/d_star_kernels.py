"""D* Lite on cells with whole-number costs.

Fractions would break ties by rounding and end the search too early, with paths that
are too short to be true. A straight step costs 13860 and a diagonal one 19601, which
is the root of two to nine digits.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.compiled import kernel

STRAIGHT = 13860
DIAGONAL = 19601
INFINITE = 1 << 60


@kernel
def octile(a: int, b: int, stride: int) -> int:
    dx = abs(a % stride - b % stride)
    dy = abs(a // stride - b // stride)
    return STRAIGHT * max(dx, dy) + (DIAGONAL - STRAIGHT) * min(dx, dy)


@kernel
def step_cost(blocked: NDArray[np.uint8], stride: int, a: int, i: int) -> int:
    """Of the step in direction ``i``; diagonals need both sides free."""
    b = a + step_of(i, stride)
    if blocked[a] or blocked[b]:
        return INFINITE
    if i < 4:
        return STRAIGHT
    across = 1 if i % 2 == 0 else -1
    along = stride if i < 6 else -stride
    if blocked[a + across] or blocked[a + along]:
        return INFINITE
    return DIAGONAL


@kernel
def step_of(i: int, stride: int) -> int:
    if i < 4:
        return (1 - 2 * (i % 2)) * (1 if i < 2 else stride)
    return (1 - 2 * (i % 2)) + (stride if i < 6 else -stride)


@kernel
def less(a1: int, a2: int, b1: int, b2: int) -> bool:
    return a1 < b1 or (a1 == b1 and a2 < b2)


@kernel
def put(
    heap: NDArray[np.int64], size: int, k1: int, k2: int, cell: int
) -> tuple[NDArray[np.int64], int]:
    if size == heap.shape[0]:
        more = np.empty((2 * size, 3), np.int64)
        more[:size] = heap
        heap = more
    hole = size
    while hole > 0:
        above = (hole - 1) >> 1
        if not less(k1, k2, heap[above, 0], heap[above, 1]):
            break
        heap[hole] = heap[above]
        hole = above
    heap[hole, 0] = k1
    heap[hole, 1] = k2
    heap[hole, 2] = cell
    return heap, size + 1


@kernel
def take(heap: NDArray[np.int64], size: int) -> int:
    """Drop the top."""
    size -= 1
    k1 = heap[size, 0]
    k2 = heap[size, 1]
    cell = heap[size, 2]
    hole = 0
    while True:
        below = 2 * hole + 1
        if below >= size:
            break
        other = below + 1
        if other < size and less(
            heap[other, 0], heap[other, 1], heap[below, 0], heap[below, 1]
        ):
            below = other
        if not less(heap[below, 0], heap[below, 1], k1, k2):
            break
        heap[hole] = heap[below]
        hole = below
    heap[hole, 0] = k1
    heap[hole, 1] = k2
    heap[hole, 2] = cell
    return size


@kernel
def best_step(
    blocked: NDArray[np.uint8], stride: int, cost: NDArray[np.int64], cell: int
) -> tuple[int, int]:
    """The least cost over all neighbours, and the neighbour."""
    least = INFINITE
    best = cell
    for i in range(8):
        step = step_cost(blocked, stride, cell, i)
        other = cell + step_of(i, stride)
        if step < INFINITE and cost[other] < INFINITE and step + cost[other] < least:
            least = step + cost[other]
            best = other
    return least, best


@kernel
def queue(
    heap: NDArray[np.int64],
    size: int,
    cost: NDArray[np.int64],
    ahead: NDArray[np.int64],
    key: NDArray[np.int64],
    cell: int,
    start: int,
    stride: int,
    offset: int,
) -> tuple[NDArray[np.int64], int]:
    """UpdateVertex: queued with a fresh key if inconsistent, otherwise taken out.

    Taking out is done by forgetting the key; the entry is skipped when it surfaces.
    """
    if cost[cell] == ahead[cell]:
        key[cell, 0] = -1
        return heap, size
    k2 = min(cost[cell], ahead[cell])
    k1 = k2 + octile(start, cell, stride) + offset
    key[cell, 0] = k1
    key[cell, 1] = k2
    return put(heap, size, k1, k2, cell)


@kernel
def repair(
    blocked: NDArray[np.uint8],
    stride: int,
    cost: NDArray[np.int64],
    ahead: NDArray[np.int64],
    key: NDArray[np.int64],
    heap: NDArray[np.int64],
    size: int,
    start: int,
    goal: int,
    offset: int,
) -> tuple[NDArray[np.int64], int, int]:
    """ComputeShortestPath. Returns the heap, its size, and the expansions."""
    expansions = 0
    while size > 0:
        k1 = heap[0, 0]
        k2 = heap[0, 1]
        u = heap[0, 2]
        if key[u, 0] != k1 or key[u, 1] != k2:
            size = take(heap, size)
            continue
        s2 = min(cost[start], ahead[start])
        if not less(k1, k2, s2 + offset, s2) and ahead[start] <= cost[start]:
            break
        size = take(heap, size)
        n2 = min(cost[u], ahead[u])
        n1 = n2 + octile(start, u, stride) + offset
        if less(k1, k2, n1, n2):
            key[u, 0] = n1
            key[u, 1] = n2
            heap, size = put(heap, size, n1, n2, u)
            continue
        expansions += 1
        if cost[u] > ahead[u]:
            cost[u] = ahead[u]
            key[u, 0] = -1
            for i in range(8):
                step = step_cost(blocked, stride, u, i)
                s = u + step_of(i, stride)
                if step < INFINITE and s != goal and step + cost[u] < ahead[s]:
                    ahead[s] = step + cost[u]
                    heap, size = queue(
                        heap, size, cost, ahead, key, s, start, stride, offset
                    )
            continue
        old = cost[u]
        cost[u] = INFINITE
        for i in range(9):
            s = u if i == 8 else u + step_of(i, stride)
            step = 0 if i == 8 else step_cost(blocked, stride, u, i)
            if s != goal and step < INFINITE and (i == 8 or ahead[s] == step + old):
                ahead[s], _ = best_step(blocked, stride, cost, s)
            if step < INFINITE:
                heap, size = queue(
                    heap, size, cost, ahead, key, s, start, stride, offset
                )
    return heap, size, expansions


@kernel
def renew(
    blocked: NDArray[np.uint8],
    stride: int,
    cost: NDArray[np.int64],
    ahead: NDArray[np.int64],
    key: NDArray[np.int64],
    heap: NDArray[np.int64],
    size: int,
    start: int,
    goal: int,
    offset: int,
    changed: NDArray[np.int64],
) -> tuple[NDArray[np.int64], int]:
    """Look again around cells whose state changed; the ring never does."""
    for j in range(changed.size):
        for i in range(9):
            s = changed[j] if i == 8 else changed[j] + step_of(i, stride)
            x = s % stride
            inner = 0 < x < stride - 1 and stride < s < blocked.size - stride
            if s == goal or not inner:
                continue
            ahead[s], _ = best_step(blocked, stride, cost, s)
            heap, size = queue(heap, size, cost, ahead, key, s, start, stride, offset)
    return heap, size


@kernel
def walk(
    blocked: NDArray[np.uint8],
    stride: int,
    cost: NDArray[np.int64],
    start: int,
    goal: int,
) -> NDArray[np.int32]:
    """Downhill from the start to the goal."""
    cells = np.empty(64, np.int32)
    cells[0] = start
    size = 1
    at = start
    while at != goal:
        least, at = best_step(blocked, stride, cost, at)
        if least >= INFINITE or size > blocked.size:
            return cells[:0].copy()
        if size == cells.size:
            more = np.empty(2 * size, np.int32)
            more[:size] = cells
            cells = more
        cells[size] = at
        size += 1
    return cells[:size].copy()
