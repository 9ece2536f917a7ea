"""The search of Hybrid A*: poses grow along arcs, one kept for each cell and heading.

D. Dolgov et al., "Practical search techniques in path planning for autonomous driving"
(2008). What is left to drive is guessed by a search over the cells without headings;
near the goal a Reeds-Shepp way ends it exactly.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.maneuvers.reeds_shepp import PIECES, shortest_way
from shopfloor.maneuvers.scene import gap_then
from shopfloor.planning.heap import doubled, drop_top, push
from shopfloor.vehicles.motion import along_arc

HEADINGS = 72
NEAR_M = 0.3
"""Closer to something a metre costs more."""
NEAR_COST = 0.6
# Settings, by index.
ARC, RADIUS, CHECK, REVERSE_COST, TURN_COST, MARGIN, CELL = range(7)
NODE = 6
"""Of a node: x, y, yaw, cost, direction, curvature."""


@kernel
def cost_to_goal(
    blocked: NDArray[np.uint8],
    costs: NDArray[np.float32],
    row: int,
    column: int,
    resolution: float,
) -> NDArray[np.float64]:
    """By cell: metres times their cost to the goal's cell; infinite where no way is."""
    rows, columns = blocked.shape
    far = np.full((rows, columns), math.inf)
    keys, items = np.empty(4096, np.float64), np.empty(4096, np.int32)
    far[row, column] = 0.0
    size = push(keys, items, 0, 0.0, row * columns + column)
    while size > 0:
        key, item = keys[0], items[0]
        size = drop_top(keys, items, size)
        r, c = item // columns, item % columns
        if key > far[r, c]:
            continue
        if size + 8 > keys.size:
            keys, items = doubled(keys, items)
        for dr in range(-1, 2):
            for dc in range(-1, 2):
                nr, nc = r + dr, c + dc
                if nr < 0 or nc < 0 or nr >= rows or nc >= columns or blocked[nr, nc]:
                    continue
                if blocked[r, nc] or blocked[nr, c]:
                    continue
                step = resolution * (1.4142135623730951 if dr * dc != 0 else 1.0)
                through = key + step * 0.5 * (costs[r, c] + costs[nr, nc])
                if through < far[nr, nc]:
                    far[nr, nc] = through
                    size = push(keys, items, size, through, nr * columns + nc)
    return far


@kernel
def _arc_gap(
    x: float,
    y: float,
    yaw: float,
    length: float,
    bend: float,
    check: float,
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
) -> float:
    """The least gap along an arc."""
    steps = max(1, math.ceil(abs(length) / check))
    least = NEAR_M
    for i in range(1, steps + 1):
        px, py, pyaw = along_arc(x, y, yaw, length * i / steps, bend)
        least = min(least, gap_then(px, py, pyaw, 0.0, outline, walls, discs, least))
        if least <= 0.0:
            break
    return least


@kernel
def _ground(
    x: float,
    y: float,
    yaw: float,
    length: float,
    bend: float,
    costs: NDArray[np.float32],
    corner: NDArray[np.float64],
    resolution: float,
) -> float:
    """What the ground along an arc adds to its metres."""
    steps = max(1, math.ceil(abs(length) / resolution))
    more = 0.0
    for i in range(1, steps + 1):
        px, py, _ = along_arc(x, y, yaw, length * i / steps, bend)
        c = min(max(int((px - corner[0]) / resolution), 0), costs.shape[1] - 1)
        r = min(max(int((py - corner[1]) / resolution), 0), costs.shape[0] - 1)
        more += (costs[r, c] - 1.0) * abs(length) / steps
    return more


@kernel
def search_poses(
    start: NDArray[np.float64],
    goal: NDArray[np.float64],
    bends: NDArray[np.float64],
    settings: NDArray[np.float64],
    outline: NDArray[np.float64],
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    left: NDArray[np.float64],
    costs: NDArray[np.float32],
    corner: NDArray[np.float64],
    resolution: float,
    most_nodes: int,
    ends_lengths: NDArray[np.float64],
    ends_bends: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int32], int, int]:
    """Nodes, their parents, the last one, how many were expanded; -1 for no way.

    Fills in the pieces that lead from the last node to the goal.
    """
    arc, radius, check = settings[ARC], settings[RADIUS], settings[CHECK]
    reverse_cost, turn_cost = settings[REVERSE_COST], settings[TURN_COST]
    margin, cell = settings[MARGIN], settings[CELL]
    rows, columns = left.shape
    wide = int(columns * resolution / cell) + 1
    high = int(rows * resolution / cell) + 1
    best = np.full(wide * high * HEADINGS, math.inf, np.float32)
    nodes = np.empty((4096, NODE))
    parents = np.empty(4096, np.int32)
    nodes[0, 0], nodes[0, 1], nodes[0, 2] = start[0], start[1], start[2]
    nodes[0, 3], nodes[0, 4], nodes[0, 5] = 0.0, 0.0, 0.0
    parents[0] = -1
    count, expanded = 1, 0
    keys, items = np.empty(4096, np.float64), np.empty(4096, np.int32)
    size = push(keys, items, 0, 0.0, 0)
    lengths, turns = np.empty(PIECES), np.empty(PIECES)
    slot = math.tau / HEADINGS
    here = gap_then(start[0], start[1], start[2], 0.0, outline, walls, discs, 1.0)
    while size > 0 and expanded < most_nodes:
        item = items[0]
        size = drop_top(keys, items, size)
        x, y, yaw = nodes[item, 0], nodes[item, 1], nodes[item, 2]
        so_far, direction, bend = nodes[item, 3], nodes[item, 4], nodes[item, 5]
        c = int((x - corner[0]) / resolution)
        r = int((y - corner[1]) / resolution)
        rest = left[r, c]
        key = int((x - corner[0]) / cell) + wide * int((y - corner[1]) / cell)
        head = int((yaw / slot) % HEADINGS)
        if so_far > best[key * HEADINGS + head] + 1e-5:
            continue
        expanded += 1
        if rest < 12.0 * radius or expanded % 32 == 1:
            dx, dy = goal[0] - x, goal[1] - y
            cos, sin = math.cos(yaw), math.sin(yaw)
            price = shortest_way(
                cos * dx + sin * dy,
                cos * dy - sin * dx,
                goal[2] - yaw,
                radius,
                reverse_cost,
                turn_cost,
                lengths,
                turns,
            )
            if price <= 1.3 * rest + 8.0 * radius:
                px, py, pyaw, free = x, y, yaw, True
                for i in range(PIECES):
                    if abs(lengths[i]) < 1e-9:
                        continue
                    gap = _arc_gap(
                        px, py, pyaw, lengths[i], turns[i], check, outline, walls, discs
                    )
                    if gap < margin:
                        free = False
                        break
                    price += _ground(
                        px, py, pyaw, lengths[i], turns[i], costs, corner, resolution
                    )
                    px, py, pyaw = along_arc(px, py, pyaw, lengths[i], turns[i])
                if free and price <= 1.3 * rest + 8.0 * radius:
                    ends_lengths[:] = lengths
                    ends_bends[:] = turns
                    return nodes[:count], parents[:count], item, expanded
        if size + 2 * bends.size > keys.size:
            keys, items = doubled(keys, items)
        if count + 2 * bends.size > nodes.shape[0]:
            more = np.empty((2 * nodes.shape[0], NODE))
            more[:count] = nodes[:count]
            nodes = more
            older = np.empty(2 * parents.size, np.int32)
            older[:count] = parents[:count]
            parents = older
        for way in range(2):
            sign = 1.0 - 2.0 * way
            for k in range(bends.size):
                nx, ny, nyaw = along_arc(x, y, yaw, sign * arc, bends[k])
                nc = math.floor((nx - corner[0]) / resolution)
                nr = math.floor((ny - corner[1]) / resolution)
                if nc < 0 or nr < 0 or nc >= columns or nr >= rows:
                    continue
                ahead = left[nr, nc]
                if not math.isfinite(ahead):
                    continue
                price = arc * costs[nr, nc] * (reverse_cost if way == 1 else 1.0)
                if direction * sign < 0.0:
                    price += turn_cost
                price += 0.05 * radius * abs(bends[k] - bend) * radius
                key = int((nx - corner[0]) / cell) + wide * int((ny - corner[1]) / cell)
                head = int((nyaw / slot) % HEADINGS)
                known = best[key * HEADINGS + head]
                if so_far + price >= known:
                    continue
                gap = _arc_gap(
                    x, y, yaw, sign * arc, bends[k], check, outline, walls, discs
                )
                if gap < margin and (item != 0 or gap < 0.9 * here):
                    continue
                price += arc * NEAR_COST * (1.0 - gap / NEAR_M)
                if so_far + price >= known:
                    continue
                best[key * HEADINGS + head] = so_far + price
                nodes[count, 0], nodes[count, 1], nodes[count, 2] = nx, ny, nyaw
                nodes[count, 3], nodes[count, 4] = so_far + price, sign
                nodes[count, 5] = bends[k]
                parents[count] = item
                size = push(keys, items, size, so_far + price + ahead, count)
                count += 1
    return nodes[:count], parents[:count], -1, expanded
