"""Roads for grid robots: from the middle of a free cell to its four neighbours."""

from __future__ import annotations

from fleet.model.world import Point, World
from fleet.roads.geometry import Walls


def cell_graph(
    world: World, spots: list[Point], walls: Walls
) -> tuple[list[Point], set[tuple[int, int]]]:
    """Nodes (the spots first) and pairs of neighbours."""
    size_m = world.cell_m
    nodes = list(spots)
    pairs: set[tuple[int, int]] = set()
    numbers: dict[tuple[int, int], int] = {}
    taken = {_cell(world, x, y): n for n, (x, y) in enumerate(spots)}
    columns = int(world.width_m / size_m)
    rows = int(world.height_m / size_m)
    for row in range(rows):
        for column in range(columns):
            x = world.left_m + (column + 0.5) * size_m
            y = world.bottom_m + (row + 0.5) * size_m
            spot = taken.get((column, row))
            if spot is not None and nodes[spot] == (x, y):
                numbers[column, row] = spot
            elif walls.clear_at(x, y):
                numbers[column, row] = len(nodes)
                nodes.append((x, y))
    for (column, row), number in numbers.items():
        for neighbour in ((column + 1, row), (column, row + 1)):
            other = numbers.get(neighbour)
            if other is not None and walls.clear(*nodes[number], *nodes[other]):
                pairs.add((number, other))
    for number, (x, y) in enumerate(spots):
        cell = numbers.get(_cell(world, x, y))
        if cell is not None and cell != number and walls.clear(x, y, *nodes[cell]):
            pairs.add((number, cell))
    return nodes, pairs


def _cell(world: World, x_m: float, y_m: float) -> tuple[int, int]:
    return (
        int((x_m - world.left_m) / world.cell_m),
        int((y_m - world.bottom_m) / world.cell_m),
    )
