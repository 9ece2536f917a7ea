"""The map as every planner sees it: immutable, checked once, shared by all robots.

A changed map is a new grid. That is what lets any number of robots and threads read
the same tables without a lock, and lets prepared roads belong to one grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shopfloor.grid import kernels
from shopfloor.grid.errors import MapContentUnknown, MapEmpty, MapRefused, MapTooLarge

MAX_CELLS = 40_000_000
"""The tables of a larger map would not fit into the memory of a robot."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Build with :meth:`Grid.of`; flat arrays carry a ring of blocked cells."""

    width: int
    height: int
    resolution_m: float
    origin: tuple[float, float, float]
    """x_m, y_m and yaw of the corner of the first cell of the first row."""
    stride: int
    blocked: NDArray[np.uint8]
    run_x: NDArray[np.int32]
    run_y: NDArray[np.int32]
    prepared: dict[str, Any] = field(default_factory=dict, repr=False)
    """What others worked out for this map; it lives as long as the map does."""

    @staticmethod
    def of(
        blocked: NDArray[Any],
        resolution_m: float = 1.0,
        origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> Grid:
        """From rows of cells, true or non-zero where blocked; row 0 is least y."""
        if blocked.ndim != 2:
            raise MapRefused(f"a map has two dimensions, not {blocked.ndim}")
        height, width = blocked.shape
        check_size(width, height)
        if blocked.dtype.kind not in "bui":
            raise MapContentUnknown(
                f"cells are blocked or free, not of type {blocked.dtype}"
            )
        check_frame(resolution_m, origin)
        flat = kernels.pad(np.ascontiguousarray(blocked != 0).view(np.uint8))
        stride = width + 2
        run_x, run_y = kernels.runs(flat, stride)
        for table in (flat, run_x, run_y):
            table.flags.writeable = False
        return Grid(
            width, height, float(resolution_m), origin, stride, flat, run_x, run_y
        )

    @property
    def cells(self) -> NDArray[np.uint8]:
        """The map without its ring, ``cells[row, column]``, 1 where blocked."""
        padded = self.blocked.reshape(self.height + 2, self.stride)
        return padded[1:-1, 1:-1]

    @cached_property
    def distance_m(self) -> NDArray[np.float32]:
        """From each cell's centre to the nearest blocked cell's centre, exact."""
        squared = kernels.squared_distances(np.ascontiguousarray(self.cells))
        metres = np.sqrt(squared.astype(np.float64)) * self.resolution_m
        return _frozen(metres.astype(np.float32))

    @cached_property
    def part(self) -> NDArray[np.int32]:
        """Flat; equal numbers are connected, 0 is blocked."""
        return _frozen(kernels.parts(self.run_x, self.stride))

    def inflated(self, margin_m: float) -> Grid:
        """Block whatever comes nearer than the margin to an obstacle.

        Measured from square to square, so every point outside the new blocked cells
        is at least the margin away from every point of the old ones. The edge of the
        map is no obstacle and does not grow.
        """
        if not math.isfinite(margin_m) or margin_m < 0.0:
            raise MapRefused(f"a margin is 0 m or more, not {margin_m}")
        if margin_m == 0.0:
            return self
        touching = kernels.grown_by_one(np.ascontiguousarray(self.cells))
        squared = kernels.squared_distances(touching)
        limit = (margin_m / self.resolution_m) ** 2
        near = (squared < limit - 1e-9) | (self.cells != 0)
        return Grid.of(near, self.resolution_m, self.origin)

    def nearness(self, falloff_m: float) -> NDArray[np.float32]:
        """Flat cost layer: 1 beside an obstacle, falling to 0 at the distance given."""
        if not math.isfinite(falloff_m) or falloff_m <= 0.0:
            raise MapRefused(f"a cost falls off over more than 0 m, not {falloff_m}")
        layer = np.ones((self.height + 2, self.stride), np.float32)
        layer[1:-1, 1:-1] = np.clip(1.0 - self.distance_m / falloff_m, 0.0, 1.0)
        return _frozen(layer.reshape(-1))

    def to_cells(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Metres to padded cells, where the first cell reaches from 1 to 2."""
        left, bottom, yaw = self.origin
        dx, dy = x_m - left, y_m - bottom
        if yaw != 0.0:
            cos, sin = math.cos(yaw), math.sin(yaw)
            dx, dy = cos * dx + sin * dy, cos * dy - sin * dx
        return dx / self.resolution_m + 1.0, dy / self.resolution_m + 1.0

    def to_metres(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Padded cells to metres, for an array of points."""
        if self.origin[2] == 0.0:
            metres = points * self.resolution_m
        else:
            cos, sin = math.cos(self.origin[2]), math.sin(self.origin[2])
            metres = (points - 1.0) @ np.array([[cos, sin], [-sin, cos]])
            metres *= self.resolution_m
        metres += self._shift
        return metres

    @cached_property
    def _shift(self) -> NDArray[np.float64]:
        left, bottom, yaw = self.origin
        ring = self.resolution_m if yaw == 0.0 else 0.0
        return np.array([left - ring, bottom - ring])

    def holds(self, x: float, y: float) -> bool:
        """Is this point of padded cells on the map."""
        return 1.0 <= x < self.width + 1.0 and 1.0 <= y < self.height + 1.0

    def is_free(self, x_m: float, y_m: float) -> bool:
        x, y = self.to_cells(x_m, y_m)
        return self.holds(x, y) and not self.blocked[int(y) * self.stride + int(x)]

    def nearest_free(
        self, x_m: float, y_m: float, within_m: float
    ) -> tuple[float, float] | None:
        """The point itself if free, else the nearest free cell's centre, or nothing.

        For a robot that stands a little inside an inflated obstacle.
        """
        if not all(map(math.isfinite, (x_m, y_m, within_m))):
            return None
        if self.is_free(x_m, y_m):
            return x_m, y_m
        x, y = self.to_cells(x_m, y_m)
        reach = within_m / self.resolution_m
        left, right = max(int(x - reach), 1), min(int(x + reach), self.width)
        low, high = max(int(y - reach), 1), min(int(y + reach), self.height)
        if left > right or low > high:
            return None
        padded = self.blocked.reshape(self.height + 2, self.stride)
        rows, columns = np.nonzero(padded[low : high + 1, left : right + 1] == 0)
        if rows.size == 0:
            return None
        away = (columns + left + 0.5 - x) ** 2 + (rows + low + 0.5 - y) ** 2
        best = int(np.argmin(away))
        if away[best] > reach * reach:
            return None
        centre = np.array([[columns[best] + left + 0.5, rows[best] + low + 0.5]])
        point = self.to_metres(centre)[0]
        return float(point[0]), float(point[1])


def _frozen(table: NDArray[Any]) -> NDArray[Any]:
    table.flags.writeable = False
    return table


def check_size(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise MapEmpty(f"the map has no cells: {width} by {height}")
    if width * height > MAX_CELLS:
        raise MapTooLarge(
            f"a map of {width} by {height} cells is above the limit of "
            f"{MAX_CELLS:,} cells"
        )


def check_frame(resolution_m: float, origin: tuple[float, float, float]) -> None:
    if not math.isfinite(resolution_m) or resolution_m <= 0.0:
        raise MapContentUnknown(
            f"the resolution is more than 0 m per cell, not {resolution_m}"
        )
    if len(origin) != 3 or not all(map(math.isfinite, origin)):
        raise MapContentUnknown(f"the origin is x, y and yaw, not {origin}")
