"""Boxes that no map knows, put where a mission stays possible.

A trial that blocks a corridor for good tests nothing but patience, so a box is only
put down where every place can still be reached around it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.lasers import box_segments

FROM_PLACES_M = 1.3
FROM_OTHERS_M = 1.5
PASSAGE_M = 0.75
"""Half the width that must be left to drive through."""
TRIES = 400


class NoRoomForBoxes(ValueError):
    """So many boxes leave no way through."""


@dataclass(frozen=True, slots=True)
class Box:
    x_m: float
    y_m: float
    length_m: float = 0.5
    width_m: float = 0.5
    yaw_rad: float = 0.0

    def segments(self) -> NDArray[np.float64]:
        return box_segments(
            self.x_m, self.y_m, self.length_m, self.width_m, self.yaw_rad
        )

    def corners(self) -> NDArray[np.float64]:
        """Anticlockwise."""
        return np.ascontiguousarray(self.segments()[:, :2])

    @property
    def reach_m(self) -> float:
        return 0.5 * math.hypot(self.length_m, self.width_m)

    def as_facts(self) -> dict[str, float]:
        return {key: round(value, 4) for key, value in asdict(self).items()}


def with_boxes(grid: Grid, boxes: Iterable[Box]) -> Grid:
    """The map as it really is: cells that a box touches are blocked."""
    cells = grid.cells.copy()
    left, low, _ = grid.origin
    step = 0.5 * grid.resolution_m
    for box in boxes:
        cos, sin = math.cos(box.yaw_rad), math.sin(box.yaw_rad)
        along = np.linspace(-0.5, 0.5, max(int(box.length_m / step), 1) + 1)
        aside = np.linspace(-0.5, 0.5, max(int(box.width_m / step), 1) + 1)
        u, v = np.meshgrid(along * box.length_m, aside * box.width_m)
        columns = ((box.x_m + cos * u - sin * v - left) / grid.resolution_m).astype(int)
        rows = ((box.y_m + sin * u + cos * v - low) / grid.resolution_m).astype(int)
        on_map = (columns >= 0) & (columns < grid.width)
        on_map &= (rows >= 0) & (rows < grid.height)
        cells[rows[on_map], columns[on_map]] = 1
    return Grid.of(cells, grid.resolution_m, grid.origin)


def scatter_boxes(
    grid: Grid,
    count: int,
    random: np.random.Generator,
    places: Sequence[Pose],
    keep_clear: Sequence[Pose] = (),
) -> tuple[Box, ...]:
    """So many boxes, none at a place or beside what is to be kept clear."""
    roomy = np.argwhere(grid.distance_m > 0.45)
    if len(roomy) == 0 and count:
        raise NoRoomForBoxes("the map has no room for a box")
    boxes: list[Box] = []
    # A try places one box at most, so that more need not be tried.
    for _ in range(TRIES if count <= TRIES else 0):
        if len(boxes) == count:
            return tuple(boxes)
        row, column = roomy[int(random.integers(len(roomy)))]
        x, y = grid.to_metres(np.array([[column + 1.5, row + 1.5]]))[0]
        size = random.uniform(0.3, 0.7, 2)
        yaw = float(random.uniform(0.0, math.pi))
        box = Box(float(x), float(y), float(size[0]), float(size[1]), yaw)
        here = Pose(box.x_m, box.y_m)
        if any(here.distance_to(p) - box.reach_m < FROM_PLACES_M for p in places):
            continue
        if any(here.distance_to(p) - box.reach_m < FROM_OTHERS_M for p in keep_clear):
            continue
        if _leaves_a_way(grid, [*boxes, box], places):
            boxes.append(box)
    if len(boxes) == count:
        return tuple(boxes)
    raise NoRoomForBoxes(f"{count} boxes do not fit without closing a way")


def _leaves_a_way(grid: Grid, boxes: Sequence[Box], places: Sequence[Pose]) -> bool:
    free = with_boxes(grid, boxes).inflated(PASSAGE_M)
    parts = set()
    for pose in places:
        near = free.nearest_free(pose.x_m, pose.y_m, 0.6)
        if near is None:
            return False
        x, y = free.to_cells(*near)
        parts.add(int(free.part[int(y) * free.stride + int(x)]))
    return len(parts) <= 1
