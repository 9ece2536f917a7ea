"""What has been prepared for a grid: its corner graph, fields and cost layers.

Grids never change, so whatever was computed for one stays right as long as it lives,
and goes when it goes: the grid itself carries it.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid.occupancy import Grid
from shopfloor.planning.corner_graph import CornerGraph, TooManyCorners
from shopfloor.planning.goal_field import GoalField


class Roads:
    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._lock = threading.Lock()
        self._graph: CornerGraph | TooManyCorners | None = None
        self._layers: dict[float, NDArray[np.float32]] = {}
        self._fields: dict[int, GoalField] = {}
        self.stations: set[int] = set()
        """Cells whose fields were asked for beforehand; only these are taken unasked,
        so what one caller tries never changes another's paths."""

    def graph(self) -> CornerGraph:
        """Raises TooManyCorners where a graph does not pay."""
        graph = self._graph
        if graph is None:
            with self._lock:
                graph = self._graph
                if graph is None:
                    try:
                        graph = CornerGraph.of(self.grid)
                    except TooManyCorners as error:
                        graph = error
                    self._graph = graph
        if isinstance(graph, TooManyCorners):
            raise TooManyCorners(str(graph))
        return graph

    def field(self, cell: int) -> GoalField:
        field = self._fields.get(cell)
        if field is None:
            with self._lock:
                field = self._fields.get(cell)
                if field is None:
                    field = GoalField.of(self.grid, cell)
                    self._fields[cell] = field
        return field

    def layer(self, falloff_m: float) -> NDArray[np.float32]:
        layer = self._layers.get(falloff_m)
        if layer is None:
            layer = self.grid.nearness(falloff_m)
            with self._lock:
                self._layers[falloff_m] = layer
        return layer


_lock = threading.Lock()


def roads_of(grid: Grid) -> Roads:
    roads: Roads | None = grid.prepared.get("roads")
    if roads is None:
        with _lock:
            roads = grid.prepared.setdefault("roads", Roads(grid))
    return roads
