"""The cells of a world: which are free, where they are, and which place is which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fleet.grid import Floor
from fleet.grid.errors import GridRefused
from fleet.grid.floor import Cell
from fleet.model.world import Block, Moves, Place, Point, World
from fleet.roads.geometry import Walls, to_segment, touches
from fleet.roads.make import WAITING

CENTRED_M = 0.1


class CellFloor:
    """GridRefused names what does not fit into cells, with its line in the files."""

    def __init__(self, world: World) -> None:
        self._world = world
        size_m = world.cell_m
        self._places: dict[str, Place] = dict(world.places)
        self._places |= {p.id + WAITING: p for p in world.waiting.values()}
        types = list(dict.fromkeys(world.type_of(robot) for robot in world.robots))
        for type_ in types:
            if type_.moves is not Moves.GRID:
                raise GridRefused(f"robots of the type {type_.id} drive without cells")
            if 2 * type_.radius_m > size_m:
                raise GridRefused(f"{type_.id} is wider than a cell of {size_m:g} m")
        for zone in world.zones.values():
            if zone.block in (Block.SINGLE, Block.SAME_DIRECTION):
                raise GridRefused(
                    f"{self._line('zones', zone.id)}zone {zone.id}: blocks are for "
                    "robots that drive without cells"
                )
        self._radius_m = max((type_.radius_m for type_ in types), default=0.0)
        self._walls = Walls(world.walls, self._radius_m)
        columns = int(world.width_m / size_m)
        rows = int(world.height_m / size_m)
        blocked = np.array(
            [[self._is_wall((c, r)) for c in range(columns)] for r in range(rows)],
            np.bool_,
        ).reshape(rows, columns)
        self.floor = Floor.of(blocked)
        self._check_between(blocked)
        self._cells = {name: self._cell_of(place) for name, place in self._known()}

    def _known(self) -> list[tuple[str, Place]]:
        """Places that robots can reach; the roads name the others."""
        free = []
        for name, place in self._places.items():
            cell = self.cell_at(*place.spot)
            if not self._walls.clear_at(*place.spot) or not self._is_free(cell):
                continue
            free.append((name, place))
        return free

    def _is_free(self, cell: Cell) -> bool:
        column, row = cell
        inside = 0 <= column < self.floor.width and 0 <= row < self.floor.height
        return inside and bool(self.floor.number[row, column] >= 0)

    def _is_wall(self, cell: Cell) -> bool:
        x, y = self.middle(cell)
        if not self._walls.clear_at(x, y):
            return True
        return any(
            touches((x, y, x, y), zone.corners, self._radius_m)
            for zone in self._world.zones.values()
            if zone.block is Block.FORBIDDEN
        )

    def _check_between(self, blocked: np.ndarray) -> None:
        for row in range(self.floor.height):
            for column in range(self.floor.width):
                for beside in ((column + 1, row), (column, row + 1)):
                    if blocked[row, column] or not self._is_free(beside):
                        continue
                    line = (*self.middle((column, row)), *self.middle(beside))
                    if not self._walls.clear(*line):
                        raise GridRefused(
                            f"a wall runs between the free cells {(column, row)} and "
                            f"{beside}; on a grid walls fill cells"
                        )

    def _cell_of(self, place: Place) -> Cell:
        cell = self.cell_at(*place.spot)
        away_m = math.dist(self.middle(cell), place.spot)
        if away_m > CENTRED_M:
            x, y = self.middle(cell)
            source = self._world.source_of(place.id)
            raise GridRefused(
                f"{source}: place {place.id} lies {away_m:.2f} m from "
                f"the middle of its cell, which is at {x:g}, {y:g}".removeprefix(": ")
            )
        return cell

    def _line(self, section: str, name: str) -> str:
        source = self._world.sources.get(f"{section}.{name}")
        return f"{source}: " if source else ""

    def middle(self, cell: Cell) -> Point:
        size_m = self._world.cell_m
        return (
            self._world.left_m + (cell[0] + 0.5) * size_m,
            self._world.bottom_m + (cell[1] + 0.5) * size_m,
        )

    def cell_at(self, x_m: float, y_m: float) -> Cell:
        size_m = self._world.cell_m
        return (
            math.floor((x_m - self._world.left_m) / size_m),
            math.floor((y_m - self._world.bottom_m) / size_m),
        )

    def cell_of(self, place: str) -> Cell:
        if place not in self._cells:
            raise GridRefused(f"place {place} lies in no free cell")
        return self._cells[place]

    def place(self, name: str) -> Place:
        return self._places[name]

    def speed_mps(self, cell: Cell, most_mps: float) -> float:
        """With the limits of zones."""
        x, y = self.middle(cell)
        limits = [
            zone.speed_mps
            for zone in self._world.zones.values()
            if touches((x, y, x, y), zone.corners, self._world.cell_m / 2)
        ]
        return min([most_mps, *limits])

    def _touched(self, left: float, low: float, right: float, high: float) -> set[Cell]:
        """Free cells in a rectangle and around it."""
        first, last = self.cell_at(left, low), self.cell_at(right, high)
        return {
            (column, row)
            for column in range(first[0] - 1, last[0] + 2)
            for row in range(first[1] - 1, last[1] + 2)
            if self._is_free((column, row))
        }

    def touched_by_zone(self, corners: Sequence[Point]) -> set[Cell]:
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        near = self._touched(min(xs), min(ys), max(xs), max(ys))
        return {
            cell
            for cell in near
            if touches(
                (*self.middle(cell), *self.middle(cell)), corners, self._radius_m
            )
        }

    def touched_by_disc(self, x_m: float, y_m: float, radius_m: float) -> set[Cell]:
        """Cells in which, or on the way to which, a robot would touch it."""
        reach_m = radius_m + self._radius_m
        near = self._touched(x_m - reach_m, y_m - reach_m, x_m + reach_m, y_m + reach_m)
        return {
            cell for cell in near if math.dist(self.middle(cell), (x_m, y_m)) < reach_m
        }

    @staticmethod
    def away_m(x_m: float, y_m: float, line: Sequence[Point]) -> float:
        """From a line through the middles of cells."""
        ends = list(pairwise(line)) or [(line[0], line[0])]
        return min(to_segment(x_m, y_m, *a, *b) for a, b in ends)

    @staticmethod
    def segment_at(x_m: float, y_m: float, line: Sequence[Point]) -> int:
        """Which piece of the line is the nearest; the first of equals."""
        ends = list(pairwise(line))
        away = [to_segment(x_m, y_m, *a, *b) for a, b in ends]
        least = min(away, default=0.0)
        return next((n for n, m in enumerate(away) if m <= least + 1e-9), 0)
