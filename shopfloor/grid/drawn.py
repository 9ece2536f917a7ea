"""Maps drawn from a seed, for trying planners where no map is at hand.

The same seed always draws the same map.
"""

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.occupancy import Grid


def draw_hall(width: int, height: int, seed: int, resolution_m: float = 0.05) -> Grid:
    """A factory hall: outer walls, rows of racks with aisles, round tanks."""
    random = np.random.default_rng(seed)
    cells = np.zeros((height, width), np.bool_)
    cells[:2], cells[-2:], cells[:, :2], cells[:, -2:] = True, True, True, True
    for top in range(24, height - 34, 46):
        left = 24 + int(random.integers(0, 12))
        while left < width - 44:
            length = int(random.integers(24, 70))
            if random.random() < 0.75:
                depth = int(random.integers(8, 14))
                y = top + int(random.integers(-4, 5))
                cells[y : y + depth, left : min(left + length, width - 24)] = True
            else:
                _disc(cells, left + 8, top + 6, int(random.integers(5, 11)))
            left += length + int(random.integers(26, 44))
    return Grid.of(cells, resolution_m)


def _disc(cells: NDArray[np.bool_], x: int, y: int, radius: int) -> None:
    rows, columns = np.ogrid[: cells.shape[0], : cells.shape[1]]
    cells[(columns - x) ** 2 + (rows - y) ** 2 <= radius * radius] = True


def draw_maze(rooms: int, corridor: int, seed: int, wall: int = 1) -> Grid:
    """A square maze in which exactly one way joins any two rooms."""
    random = np.random.default_rng(seed)
    pitch = corridor + wall
    size = rooms * pitch + wall
    cells = np.ones((size, size), np.bool_)

    def open_room(column: int, row: int) -> None:
        x, y = wall + column * pitch, wall + row * pitch
        cells[y : y + corridor, x : x + corridor] = False

    seen = np.zeros((rooms, rooms), np.bool_)
    seen[0, 0] = True
    open_room(0, 0)
    way = [(0, 0)]
    while way:
        column, row = way[-1]
        ahead = [
            (column + dx, row + dy)
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
            if 0 <= column + dx < rooms
            and 0 <= row + dy < rooms
            and not seen[row + dy, column + dx]
        ]
        if not ahead:
            way.pop()
            continue
        there = ahead[int(random.integers(len(ahead)))]
        seen[there[1], there[0]] = True
        open_room(*there)
        x = wall + min(column, there[0]) * pitch
        y = wall + min(row, there[1]) * pitch
        if there[0] != column:
            cells[y : y + corridor, x + corridor : x + pitch] = False
        else:
            cells[y + corridor : y + pitch, x : x + corridor] = False
        way.append(there)
    return Grid.of(cells)


def draw_clutter(width: int, height: int, share: float, seed: int) -> Grid:
    """Single cells blocked at random."""
    random = np.random.default_rng(seed)
    return Grid.of(random.random((height, width)) < share)
